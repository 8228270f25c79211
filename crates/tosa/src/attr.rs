//! Attributes of operators, described once: reader, writer and text form go through this description.
//!
//! A field's place in the table of the schema is its place in the struct.

use crate::dtype::{BlockSize, Dtype, NanMode, ResizeMode, Rounding};
use crate::graph::RegionId;

/// The value of an attribute, whatever its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attr {
    /// A number.
    Int(i32),
    /// True or false.
    Bool(bool),
    /// Numbers.
    Ints(Vec<i32>),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A text.
    Text(String),
    /// The number of an enumeration's value.
    Word(u32),
    /// A region; its name in a file.
    Region(RegionId),
}

/// What an attribute may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Int,
    Bool,
    /// So many, if told.
    Ints(Option<usize>),
    Bytes,
    Text,
    Word(&'static [(&'static str, u32)]),
    Region,
}

/// One attribute: its name in the schema and its type.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
}

/// The attributes of an operator.
pub(crate) trait Attributes: Sized {
    const FIELDS: &'static [Field];
    fn to_attrs(&self) -> Vec<Attr>;
    /// `None` if they are not of [`Attributes::FIELDS`]' types.
    fn from_attrs(attrs: &[Attr]) -> Option<Self>;
}

/// A type of attributes.
pub(crate) trait AttrType: Sized {
    const KIND: Kind;
    fn put(&self) -> Attr;
    fn take(attr: &Attr) -> Option<Self>;
}

impl AttrType for i32 {
    const KIND: Kind = Kind::Int;
    fn put(&self) -> Attr {
        Attr::Int(*self)
    }
    fn take(attr: &Attr) -> Option<i32> {
        if let Attr::Int(n) = attr { Some(*n) } else { None }
    }
}

impl AttrType for bool {
    const KIND: Kind = Kind::Bool;
    fn put(&self) -> Attr {
        Attr::Bool(*self)
    }
    fn take(attr: &Attr) -> Option<bool> {
        if let Attr::Bool(b) = attr { Some(*b) } else { None }
    }
}

impl AttrType for Vec<i32> {
    const KIND: Kind = Kind::Ints(None);
    fn put(&self) -> Attr {
        Attr::Ints(self.clone())
    }
    fn take(attr: &Attr) -> Option<Vec<i32>> {
        if let Attr::Ints(n) = attr { Some(n.clone()) } else { None }
    }
}

impl<const N: usize> AttrType for [i32; N] {
    const KIND: Kind = Kind::Ints(Some(N));
    fn put(&self) -> Attr {
        Attr::Ints(self.to_vec())
    }
    fn take(attr: &Attr) -> Option<[i32; N]> {
        if let Attr::Ints(n) = attr { n.as_slice().try_into().ok() } else { None }
    }
}

impl AttrType for Vec<u8> {
    const KIND: Kind = Kind::Bytes;
    fn put(&self) -> Attr {
        Attr::Bytes(self.clone())
    }
    fn take(attr: &Attr) -> Option<Vec<u8>> {
        if let Attr::Bytes(b) = attr { Some(b.clone()) } else { None }
    }
}

impl AttrType for String {
    const KIND: Kind = Kind::Text;
    fn put(&self) -> Attr {
        Attr::Text(self.clone())
    }
    fn take(attr: &Attr) -> Option<String> {
        if let Attr::Text(s) = attr { Some(s.clone()) } else { None }
    }
}

impl AttrType for RegionId {
    const KIND: Kind = Kind::Region;
    fn put(&self) -> Attr {
        Attr::Region(*self)
    }
    fn take(attr: &Attr) -> Option<RegionId> {
        if let Attr::Region(r) = attr { Some(*r) } else { None }
    }
}

macro_rules! word_attr {
    ($($name:ident)*) => { $(
        impl AttrType for $name {
            const KIND: Kind = Kind::Word($name::NAMES);
            fn put(&self) -> Attr {
                Attr::Word(self.id())
            }
            fn take(attr: &Attr) -> Option<$name> {
                if let Attr::Word(id) = attr { $name::from_id(*id) } else { None }
            }
        }
    )* };
}
word_attr!(Dtype NanMode ResizeMode Rounding BlockSize);

/// Declares the attributes of an operator, in the order of the schema.
macro_rules! attributes {
    ($(#[$meta:meta])* $name:ident { $( $(#[$fmeta:meta])* $field:ident: $ty:ty ),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct $name { $( $(#[$fmeta])* pub $field: $ty ),* }

        impl $crate::attr::Attributes for $name {
            const FIELDS: &'static [$crate::attr::Field] = &[ $( $crate::attr::Field {
                name: stringify!($field),
                kind: <$ty as $crate::attr::AttrType>::KIND,
            } ),* ];

            fn to_attrs(&self) -> Vec<$crate::attr::Attr> {
                vec![ $( $crate::attr::AttrType::put(&self.$field) ),* ]
            }

            fn from_attrs(attrs: &[$crate::attr::Attr]) -> Option<Self> {
                let mut attrs = attrs.iter();
                let made = $name { $( $field: $crate::attr::AttrType::take(attrs.next()?)? ),* };
                attrs.next().is_none().then_some(made)
            }
        }
    };
}
pub(crate) use attributes;
