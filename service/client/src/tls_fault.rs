//! Explains TLS failures by the texts of connection errors.

/// The address lacks https, but the service uses TLS.
const SPEAKS_TLS: &str = "it speaks TLS, so its address has to begin with https://";

/// Explains the TLS fault in `failure`, which makes retrying useless; `None` for any other failure.
pub(crate) fn tls_fault(failure: &str) -> Option<String> {
    // An alert concerns the client, in words that otherwise concern the service.
    if let Some(alert) = after(failure, "received fatal alert: ") {
        return alert_fault(alert);
    }
    if let Some(fault) = after(failure, "invalid peer certificate: ") {
        return Some(certificate_fault(fault));
    }
    if let Some(fault) = after(failure, "peer is incompatible: ") {
        return Some(format!("nothing of TLS is common to both: {fault}"));
    }
    let speaks_tls = ["this port speaks TLS", "frame with invalid size"];
    if speaks_tls.iter().any(|words| failure.contains(words)) {
        return Some(SPEAKS_TLS.to_owned());
    }
    failure
        .contains("InvalidContentType")
        .then(|| "it seems to speak none; if so, its address has to begin with http://".to_owned())
}

/// Explains an alert of the service about the client.
fn alert_fault(alert: &str) -> Option<String> {
    let end = alert.find(|letter: char| !letter.is_alphanumeric());
    let alert = end.map_or(alert, |end| &alert[..end]);
    let fault = match alert {
        "CertificateRequired" => "it wants a certificate of the client",
        "UnknownCA" => "it does not trust the authority of the client's certificate",
        "CertificateExpired" => "the client's certificate has expired or is not valid yet",
        "CertificateRevoked" => "the client's certificate is revoked",
        "UnsupportedCertificate" => {
            "the client's certificate is not for a client: its extended key usage has to have clientAuth"
        }
        "NoCertificate" | "BadCertificate" | "CertificateUnknown" | "AccessDenied"
        | "DecryptError" => {
            return Some(format!(
                "it does not take the client's certificate ({alert})"
            ));
        }
        "HandshakeFailure"
        | "IllegalParameter"
        | "ProtocolVersion"
        | "InsufficientSecurity"
        | "MissingExtension"
        | "UnsupportedExtension"
        | "UnrecognisedName"
        | "NoApplicationProtocol" => {
            return Some(format!("it does not take the connection ({alert})"));
        }
        // Other faults may be transient.
        _ => return None,
    };
    Some(fault.to_owned())
}

/// Explains a fault of the service's certificate.
fn certificate_fault(fault: &str) -> String {
    let has = |words: &str| fault.contains(words);
    let told = if has("UnknownIssuer") {
        "its certificate is from an authority that is not trusted here: name the authority's file"
    } else if has("UnsupportedCertVersion") {
        "its certificate is not of version 3 of X.509: have a new one issued"
    } else if has("CaUsedAsEndEntity") {
        "its certificate is that of an authority: it needs one of its own, with basicConstraints CA:FALSE"
    } else if has("certificate not valid for name") || has("NotValidForName") {
        return wrong_name(fault);
    } else if has("certificate not valid yet") || has("NotValidYet") {
        "its certificate is not valid yet, or the clock here is slow"
    } else if has("certificate expired") || fault.starts_with("Expired") {
        "its certificate has expired"
    } else if has("extended key usage") || has("InvalidPurpose") {
        "its certificate is not for a service: its extended key usage has to have serverAuth"
    } else {
        return format!("its certificate is not taken: {fault}");
    };
    told.to_owned()
}

fn wrong_name(fault: &str) -> String {
    let told = "its certificate is for another name than that of the address";
    match after(fault, "certificate is only valid for ") {
        Some(names) => {
            let mut names = names.to_owned();
            for around in ["DnsName(", "IpAddress(", ")", "\""] {
                names = names.replace(around, "");
            }
            format!("{told}: it is for {names}")
        }
        None => told.to_owned(),
    }
}

/// Returns the text after `words`, without the suffix of the transport.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(words)?;
    Some(rest.trim_end_matches(": transport error"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_client_finds_is_about_the_service() {
        for (failure, told) in [
            ("UnknownIssuer", "not trusted here"),
            ("Other(OtherError(UnsupportedCertVersion))", "version 3"),
            ("Other(OtherError(CaUsedAsEndEntity))", "CA:FALSE"),
            (
                "certificate not valid for name \"127.0.0.1\"; certificate is only valid for \
                 DnsName(\"a.example\") or IpAddress(10.0.0.1): transport error",
                "another name than that of the address: it is for a.example or 10.0.0.1",
            ),
            ("NotValidForName", "another name than that of the address"),
            (
                "certificate not valid yet: verification time 1 (UNIX), but certificate is not valid \
                 before 2 (1 seconds in future): transport error",
                "not valid yet",
            ),
            (
                "certificate expired: verification time 2 (UNIX), but certificate is not valid after 1 \
                 (1 seconds ago): transport error",
                "its certificate has expired",
            ),
            (
                "certificate does not allow extended key usage for server authentication, allows \
                 client authentication: transport error",
                "serverAuth",
            ),
            (
                "BadSignature: transport error",
                "its certificate is not taken: BadSignature",
            ),
        ] {
            for before in ["", "transport error: "] {
                let failure = format!("{before}invalid peer certificate: {failure}");
                let fault = tls_fault(&failure).unwrap();
                assert!(fault.contains(told), "{fault}");
                assert!(!fault.contains("transport error"), "{fault}");
                assert!(!fault.contains("(UNIX)"), "{fault}");
            }
        }
    }

    #[test]
    fn an_alert_is_about_the_client() {
        for (alert, told) in [
            ("CertificateExpired", "the client's certificate has expired"),
            ("CertificateRevoked", "the client's certificate is revoked"),
            ("CertificateRequired", "wants a certificate of the client"),
            ("UnknownCA", "authority of the client's certificate"),
            ("UnsupportedCertificate", "clientAuth"),
            (
                "BadCertificate",
                "take the client's certificate (BadCertificate)",
            ),
            ("ProtocolVersion", "the connection (ProtocolVersion)"),
        ] {
            let failure =
                format!("transport error: connection error: received fatal alert: {alert}");
            let fault = tls_fault(&failure).unwrap();
            assert!(fault.contains(told), "{fault}");
        }
    }

    #[test]
    fn a_port_with_tls_is_told_from_one_without() {
        let greeted = "http2 error: connection error received: security properties do not meet \
                       minimum requirements (b\"this port speaks TLS: use an https:// address\")";
        for failure in [greeted, "connection error: frame with invalid size"] {
            assert_eq!(tls_fault(failure).as_deref(), Some(SPEAKS_TLS));
        }
        let fault = tls_fault("received corrupt message of type InvalidContentType").unwrap();
        assert!(fault.contains("http://"), "{fault}");
    }

    #[test]
    fn what_may_pass_is_no_fault_of_tls() {
        for failure in [
            "tcp connect error: Connection refused (os error 111)",
            "received fatal alert: InternalError",
            "operation was canceled: connection closed",
        ] {
            assert_eq!(tls_fault(failure), None, "{failure}");
        }
    }
}
