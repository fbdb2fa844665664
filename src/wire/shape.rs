//! What the types of the wire have in common: one macro around each definition, so that a field is written once and
//! Rust, JSON and TypeScript follow from it.
//!
//! A struct is an object with camelCase keys. An enum without fields is a word in kebab-case. Any other enum is an
//! object whose `type` tells the variant; a variant that wraps a struct has that struct's keys beside it. Unknown keys
//! are refused. Natively serde does all this (tests and the build use it); in wasm its code would be most of the file,
//! so there `Read` and `Write` do, and a test holds the two to the same JSON. Not here: types of another shape.

/// The key that tells which variant an object is.
pub const TAG: &str = "type";

/// A field's key: `elapsed_ms` is `elapsedMs`.
pub fn camel(field: &str) -> impl Iterator<Item = char> {
    let mut starts = false;
    field.chars().filter_map(move |character| {
        let is_first = std::mem::replace(&mut starts, character == '_');
        (character != '_').then(|| {
            if is_first {
                character.to_ascii_uppercase()
            } else {
                character
            }
        })
    })
}

/// A variant's word: `OwnThenMerge` is `own-then-merge`.
pub fn kebab(variant: &str) -> impl Iterator<Item = char> {
    variant.char_indices().flat_map(|(index, character)| {
        let hyphen = (index > 0 && character.is_ascii_uppercase()).then_some('-');
        hyphen.into_iter().chain([character.to_ascii_lowercase()])
    })
}

/// Defines a type as it stands and lets it cross. Names go to the readers as one text, which is the smallest table.
macro_rules! shape {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$note:meta])* pub $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
        #[cfg_attr(not(target_arch = "wasm32"), derive(serde::Serialize, serde::Deserialize))]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name { $($(#[$note])* pub $field: $type,)* }

        impl $crate::wire::read::Read for $name {
            fn read(json: &$crate::json::Json, reader: &mut $crate::wire::read::Reader) -> Self {
                let mut fields = reader.fields(json, concat!($(stringify!($field), " "),*));
                Self { $($field: fields.next(),)* }
            }
        }

        impl $crate::wire::write::Write for $name {
            fn write(&self) -> $crate::json::Json {
                let mut object = $crate::wire::write::Object::new(concat!($(stringify!($field), " "),*));
                $(object.put(&self.$field);)*
                object.end()
            }
        }
    };

    ($(#[$about:meta])* pub enum $name:ident { $($(#[$note:meta])* $variant:ident,)* }) => {
        $(#[$about])*
        #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
        #[cfg_attr(not(target_arch = "wasm32"), derive(serde::Serialize, serde::Deserialize))]
        #[serde(rename_all = "kebab-case")]
        pub enum $name { $($(#[$note])* $variant,)* }

        impl $crate::wire::read::Read for $name {
            fn read(json: &$crate::json::Json, reader: &mut $crate::wire::read::Reader) -> Self {
                let all = [$(Self::$variant),*];
                all.get(reader.word(json, concat!($(stringify!($variant), " "),*))).copied().unwrap_or(all[0])
            }
        }

        impl $crate::wire::write::Write for $name {
            fn write(&self) -> $crate::json::Json {
                $crate::wire::write::word(match self { $(Self::$variant => stringify!($variant),)* })
            }
        }
    };

    ($(#[$about:meta])* pub enum $name:ident {
        $($(#[$note:meta])* $variant:ident
            $({ $($(#[$inner_note:meta])* $field:ident: $type:ty,)* })?
            $(($wrapped:ty))?,
        )*
    }) => {
        $(#[$about])*
        #[cfg_attr(target_arch = "wasm32", derive(tsify::Tsify))]
        #[cfg_attr(not(target_arch = "wasm32"), derive(serde::Serialize, serde::Deserialize))]
        #[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase", deny_unknown_fields)]
        pub enum $name {
            $($(#[$note])* $variant $({ $($(#[$inner_note])* $field: $type,)* })? $(($wrapped))?,)*
        }

        impl $crate::wire::read::Read for $name {
            fn read(json: &$crate::json::Json, reader: &mut $crate::wire::read::Reader) -> Self {
                #[allow(clippy::enum_variant_names, reason = "the names are those of the enum around it")]
                enum Tag { $($variant,)* }
                let tag = reader.tag(json, concat!($(stringify!($variant), " "),*));
                $(if tag == Tag::$variant as usize {
                    return $crate::wire::shape::shape!(@read json, reader, $variant
                        $({ $($field,)* })? $(($wrapped))?);
                })*
                unreachable!("a tag is one of its enum's")
            }
        }

        impl $crate::wire::write::Write for $name {
            fn write(&self) -> $crate::json::Json {
                match self {
                    $($crate::wire::shape::shape!(@pattern inner, $variant $({ $($field,)* })? $(($wrapped))?) => {
                        #[allow(unused_mut, reason = "a variant without fields adds nothing")]
                        let mut object = $crate::wire::write::Object::tagged(
                            stringify!($variant),
                            concat!($($(stringify!($field), " "),*)?),
                        );
                        $($(object.put($field);)*)?
                        $(object.extend::<$wrapped>(inner);)?
                        object.end()
                    })*
                }
            }
        }
    };

    (@read $json:ident, $reader:ident, $variant:ident) => {{
        $reader.fields($json, "");
        Self::$variant
    }};
    (@read $json:ident, $reader:ident, $variant:ident { $($field:ident,)* }) => {{
        let mut fields = $reader.fields($json, concat!($(stringify!($field), " "),*));
        Self::$variant { $($field: fields.next(),)* }
    }};
    (@read $json:ident, $reader:ident, $variant:ident ($wrapped:ty)) => {
        Self::$variant(<$wrapped as $crate::wire::read::Read>::read($json, $reader))
    };

    (@pattern $inner:ident, $variant:ident) => { Self::$variant };
    (@pattern $inner:ident, $variant:ident { $($field:ident,)* }) => { Self::$variant { $($field,)* } };
    (@pattern $inner:ident, $variant:ident ($wrapped:ty)) => { Self::$variant($inner) };
}

pub(crate) use shape;
