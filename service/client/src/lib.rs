//! A typed client of the Dragontooth service.
