use dragontooth_service_vocabulary::Scope;

#[test]
fn a_scope_reads_back_as_it_was_written() {
    for scope in Scope::ALL {
        assert_eq!(scope.to_string().parse(), Ok(scope));
    }
    for other in ["", "Play", "all", "play "] {
        assert!(other.parse::<Scope>().is_err(), "{other}");
    }
}
