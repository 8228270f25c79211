//! `--profile` and `--trace`: what they print, that traces are what Perfetto reads, and what is refused.

mod common;

use common::{corpus, workspace};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn tombolo(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tombolo")).args(args).current_dir(workspace()).output().unwrap()
}

fn success(args: &[&str]) -> String {
    let output = tombolo(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The command must leave with status 2 and say `words`.
fn refused(args: &[&str], words: &[&str]) {
    let output = tombolo(args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    let message = String::from_utf8(output.stderr).unwrap();
    for word in words {
        assert!(message.contains(word), "{args:?}: {word:?} is not in {message}");
    }
    assert!(message.contains("help: "), "{message}");
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn stream(model: &str, target: &str) -> [String; 2] {
    let file = |suffix: &str| corpus(&format!("{model}/{target}.{suffix}")).display().to_string();
    [file("0.vela.npz"), file("golden.npz")]
}

fn profiled(model: &str, target: &str, more: &[&str]) -> Value {
    let [file, golden] = stream(model, target);
    let args = [&["npu", "run", &file, "--golden", &golden, "--profile", "--json"], more].concat();
    let report: Value = serde_json::from_str(&success(&args)).unwrap();
    report["profile"].clone()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

/// A golden number, and that the parts are the whole.
#[test]
fn a_profile_adds_up() {
    let profile = profiled("digits", "u65-256", &[]);
    assert_eq!(profile["system_config"], "Ethos_U65_High_End");
    let run = &profile["streams"][0];
    assert_eq!(number(&run["cycles"]), 7259);
    assert_eq!(number(&run["macs"]), 201_536);
    assert_eq!(run["microseconds"].as_f64(), Some(7.259));
    let commands = run["commands"].as_array().unwrap();
    assert_eq!(commands.len(), 10);
    let sum = |copies: bool| -> u64 {
        let of = |c: &&Value| (c["command"] == "DMA_START") == copies;
        commands.iter().filter(of).map(|c| number(&c["cycles"])).sum()
    };
    // Nothing waits in this network, so that its operations are all of its time.
    assert_eq!(sum(false), 7259);
    assert!(sum(true) < 7259);
    assert_eq!(number(&run["pmu"]["CYCLE"]), 7259);
    // What goes through a port is what the regions behind it have moved, at least once.
    let regions: u64 =
        run["regions"].as_array().unwrap().iter().map(|r| number(&r["read"]) + number(&r["written"])).sum();
    let through: u64 = commands
        .iter()
        .flat_map(|c| c["bytes"].as_array().unwrap())
        .map(|port| number(&port["read"]) + number(&port["written"]))
        .sum();
    assert!(regions <= through, "{regions} {through}");
}

#[test]
fn tables_are_for_people() {
    let [file, golden] = stream("digits", "u65-256");
    let text = success(&["npu", "run", &file, "--golden", &golden, "--profile"]);
    for words in [
        "7259 cycles = 7.3 us",
        "Ethos_U65_High_End, Dedicated_Sram_384KB (AXI0 Sram, AXI1 Dram)",
        "POOL MAX",
        "no debug database",
        "further events of Ethos-U65 are not modelled",
    ] {
        assert!(text.contains(words), "{words:?} is not in\n{text}");
    }
}

/// An event that no estimate tells is never 0.
#[test]
fn events_that_are_not_modelled_are_said_to_be() {
    let profile = profiled(
        "digits",
        "u65-256",
        &["--pmu", "MAC_ACTIVE", "--pmu", "mac_stalled_by_wd", "--pmu", "NPU_IDLE"],
    );
    let pmu = &profile["streams"][0]["pmu"];
    assert!(number(&pmu["MAC_ACTIVE"]) > 0);
    assert_eq!(pmu["MAC_STALLED_BY_WD"], "not modelled");
    assert_eq!(pmu["NPU_IDLE"], "not modelled");
    let [file, golden] = stream("digits", "u65-256");
    let args = ["npu", "run", &file, "--golden", &golden, "--profile", "--pmu"];
    refused(&[&args[..], &["SRAM0_ENABLED_CYCLES"]].concat(), &["no PMU event of Ethos-U65"]);
}

#[test]
fn layers_come_from_the_debug_database() {
    let debug = workspace().join("crates/tombolo/tests/data/softmax.u85-256_debug.xml");
    let profile = profiled("softmax", "u85-256", &["--debug-db", &debug.display().to_string()]);
    let run = &profile["streams"][0];
    let layers = run["layers"].as_array().unwrap();
    assert_eq!(layers.iter().map(|layer| number(&layer["cycles"])).sum::<u64>(), number(&run["cycles"]));
    assert_eq!(layers[0]["operator"], "ReduceMax");
    assert_eq!(number(&layers[0]["cycles"]), 130);
    // In the chain of the reduction.
    assert_eq!(number(&layers[4]["cycles"]), 0);

    let broken = temporary("broken_debug.xml");
    std::fs::write(&broken, "<debug></debug>").unwrap();
    let [file, golden] = stream("softmax", "u85-256");
    let broken = broken.display().to_string();
    refused(
        &["npu", "run", &file, "--golden", &golden, "--profile", "--debug-db", &broken],
        &["broken_debug.xml", "table 'queue'"],
    );
}

/// Events of a trace: process, track, start, end, in microseconds.
fn events(trace: &Value) -> Vec<(u64, u64, f64, f64)> {
    let all = trace["traceEvents"].as_array().unwrap();
    for event in all {
        assert!(event["name"].is_string() && event["pid"].is_u64() && event["tid"].is_u64(), "{event}");
        assert!(event["ph"] == "X" || event["ph"] == "M", "{event}");
    }
    all.iter()
        .filter(|event| event["ph"] == "X")
        .map(|event| {
            let (start, length) = (event["ts"].as_f64().unwrap(), event["dur"].as_f64().unwrap());
            assert!(start >= 0.0 && length > 0.0, "{event}");
            (number(&event["pid"]), number(&event["tid"]), start, start + length)
        })
        .collect()
}

fn check_trace(trace: &Value) -> usize {
    let all = events(trace);
    let mut tracks: Vec<(u64, u64)> = all.iter().map(|e| (e.0, e.1)).collect();
    tracks.sort_unstable();
    tracks.dedup();
    for track in &tracks {
        let named = trace["traceEvents"]
            .as_array()
            .unwrap()
            .iter()
            .any(|e| e["name"] == "thread_name" && (number(&e["pid"]), number(&e["tid"])) == *track);
        assert!(named, "track {track:?} has no name");
        let mut spans: Vec<_> = all.iter().filter(|e| (e.0, e.1) == *track).collect();
        spans.sort_by(|a, b| a.2.total_cmp(&b.2));
        for pair in spans.windows(2) {
            assert!(pair[0].3 <= pair[1].2 + 1e-6, "{pair:?} overlap");
        }
    }
    tracks.len()
}

#[test]
fn a_streams_trace_has_a_track_for_the_npu_and_for_copies() {
    let path = temporary("stream.json");
    let [file, golden] = stream("digits", "u65-256");
    let path_text = path.display().to_string();
    success(&["npu", "run", &file, "--golden", &golden, "--trace", &path_text]);
    let trace: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(check_trace(&trace), 3);
    let end = events(&trace).into_iter().map(|e| e.3).fold(0.0, f64::max);
    assert!((end - 7.259).abs() < 1e-6, "{end}");
}

#[test]
fn a_programs_trace_has_the_cpu_too() {
    let path = temporary("program.json");
    let path_text = path.display().to_string();
    let file = |name: &str| corpus(&format!("digits/{name}")).display().to_string();
    let (model, input) = (file("u65-256.pte"), file("in0.npy"));
    let text = success(&["run", &model, "--input", &input, "--profile", "--trace", &path_text]);
    assert!(text.contains("host time") && text.contains("estimated"), "{text}");
    let trace: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(check_trace(&trace), 3);
    // Quantize, the delegate, dequantize.
    assert_eq!(events(&trace).iter().filter(|e| e.0 == 1).count(), 3);
    // Without an NPU there is the CPU alone.
    let path = temporary("cpu.json");
    let path_text = path.display().to_string();
    let add = |name: &str| corpus(&format!("add/{name}")).display().to_string();
    let (model, in0, in1) = (add("cpu_float.pte"), add("in0.npy"), add("in1.npy"));
    success(&["run", &model, "--input", &in0, "--input", &in1, "--profile", "--trace", &path_text]);
    let trace: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert_eq!(check_trace(&trace), 1);
}

/// Streams of the corpus pass the checks; one without its waits does not.
#[test]
fn checks_find_a_missing_wait() {
    let [file, golden] = stream("digits", "u65-256");
    let text = success(&["npu", "run", &file, "--golden", &golden, "--check", "hazards,poison"]);
    assert!(text.contains("check: nothing found"), "{text}");
    // In the program the stream lies as it is: each DMA_WAIT for all copies becomes one that lets one go on.
    let mut program = std::fs::read(corpus("digits/u65-256.pte")).unwrap();
    let start = program.windows(4).position(|bytes| bytes == b"COP1").unwrap();
    let mut waits = 0;
    for word in program[start..].chunks_exact_mut(4).take(0x440 / 4) {
        if word == [0x11, 0, 0, 0] {
            word[2] = 1;
            waits += 1;
        }
    }
    assert_eq!(waits, 3);
    let path = temporary("no_waits.pte");
    std::fs::write(&path, program).unwrap();
    let path = path.display().to_string();
    let args = ["npu", "run", &path, "--golden", &golden];
    // The results are those of a machine that happens to be slow enough.
    success(&args);
    let output = tombolo(&[&args[..], &["--check", "hazards"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("DEPTHWISE reads what DMA_START at 0x148 writes"), "{text}");
    let json = tombolo(&[&args[..], &["--check", "hazards", "--json"]].concat());
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["passed"], false);
    assert_eq!(json["findings"].as_array().unwrap().len(), 3);
}

#[test]
fn systems_are_chosen_by_name() {
    let cycles = |more: &[&str]| number(&profiled("digits", "u65-256", more)["streams"][0]["cycles"]);
    let slow = cycles(&["--system-config", "Ethos_U65_Embedded", "--memory-mode", "Shared_Sram"]);
    assert_eq!(slow, 13034);
    let ini = temporary("own.ini");
    std::fs::write(
        &ini,
        "[System_Config.Board]\ncore_clock=400e6\naxi0_port=Sram\naxi1_port=Dram\nSram_clock_scale=1.0\n\
         Dram_clock_scale=0.25\nDram_read_latency=100\n",
    )
    .unwrap();
    let ini_text = ini.display().to_string();
    let profile = profiled("digits", "u65-256", &["--config", &ini_text, "--system-config", "Board"]);
    assert_eq!(profile["core_clock_hz"].as_f64(), Some(4e8));
    assert_eq!(profile["memory_mode"], "Dedicated_Sram_384KB");
    assert!(number(&profile["streams"][0]["cycles"]) < 13034);
}

#[test]
fn bad_systems_are_refused() {
    let [file, golden] = stream("digits", "u65-256");
    let base = ["npu", "run", &file, "--golden", &golden];
    let refused = |more: &[&str], words: &[&str]| refused(&[&base[..], more].concat(), words);
    refused(&["--system-config", "Ethos_U65_Embedded"], &["--system-config changes nothing", "--profile"]);
    refused(
        &["--profile", "--system-config", "Nonsense"],
        &["no system configuration \"Nonsense\"", "Ethos_U65_High_End"],
    );
    refused(&["--profile", "--memory-mode", "Nonsense"], &["no memory mode", "Shared_Sram"]);
    // Feature maps in flash.
    refused(
        &["--profile", "--system-config", "Ethos_U65_Embedded", "--memory-mode", "Dedicated_Sram"],
        &["arena_mem_area", "OffChipFlash"],
    );
    refused(&["--profile", "--config", "no/such.ini"], &["no/such.ini", "no such file"]);
    let ini = temporary("bad.ini");
    std::fs::write(&ini, "[System_Config.Bad]\ncore_clock=fast\naxi0_port=Sram\naxi1_port=Dram\n").unwrap();
    let ini = ini.display().to_string();
    refused(
        &["--profile", "--config", &ini, "--system-config", "Bad"],
        &["bad.ini", "line 2", "[Bad]", "core_clock=fast"],
    );
}
