/** Where a service usually listens. */
export const DEFAULT_SERVER = "http://127.0.0.1:4640";

/**
 * Reads `http://host:port`, `https://host:port`, or `host:port` for the former. Throws a `TypeError` that says what is
 * wrong, without what may be a password.
 */
export function parseAddress(text: string): string {
  const invalid = (fault: string) => {
    const shown = JSON.stringify(text.replace(/^.*@/s, "…@"));
    return new TypeError(`${shown} is no address of a service: ${fault}; it looks like ${DEFAULT_SERVER}`);
  };
  const [, scheme = "http", authority = "", rest = ""] = /^(?:([^:/?#]*):\/\/)?([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (!/^https?$/i.test(scheme)) {
    throw invalid("only http and https are spoken");
  }
  if (authority.includes("@")) {
    throw invalid("credentials do not belong in it");
  }
  if (rest !== "" && rest !== "/") {
    throw invalid("nothing may follow the port");
  }
  const [, host = "", colon, port = ""] = /^(\[[^\]]*\]|[^:]*)(?:(:)(.*))?$/s.exec(authority) ?? [];
  if (host === "" || /\s/.test(text)) {
    throw invalid("it names no host");
  }
  if (colon === undefined ? !text.includes("://") : port === "") {
    throw invalid("it has no port");
  }
  if (colon !== undefined && !(/^\d+$/.test(port) && Number(port) <= 65535)) {
    throw invalid("its port is no number up to 65535");
  }
  try {
    return new URL(`${scheme}://${authority}`).origin;
  } catch {
    throw invalid("it names no host");
  }
}
