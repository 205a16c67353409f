//! The tournament runner of Dragontooth.
