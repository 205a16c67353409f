/** Where a service usually listens. */
export const DEFAULT_SERVER = "http://127.0.0.1:4640";

/** Returns true if an address, as `parseAddress` returns it, is on this machine. */
export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Parses `http://host:port`, `https://host:port`, or `host:port`, which means `http`. Throws a `TypeError` with the
 * fault; its text never contains a password.
 */
export function parseAddress(text: string): string {
  const invalid = (fault: string) => {
    const shown = JSON.stringify(text.replace(/^.*@/s, "…@"));
    return new TypeError(`${shown} is not a service address: ${fault}; example: ${DEFAULT_SERVER}`);
  };
  const [, scheme = "http", authority = "", rest = ""] = /^(?:([^:/?#]*):\/\/)?([^/?#]*)(.*)$/s.exec(text) ?? [];
  if (!/^https?$/i.test(scheme)) {
    throw invalid("only http and https are supported");
  }
  if (authority.includes("@")) {
    throw invalid("it contains credentials");
  }
  if (rest !== "" && rest !== "/") {
    throw invalid("something follows the port");
  }
  const [, host = "", colon, port = ""] = /^(\[[^\]]*\]|[^:]*)(?:(:)(.*))?$/s.exec(authority) ?? [];
  if (host === "" || /\s/.test(text)) {
    throw invalid("it has no host");
  }
  if (colon === undefined ? !text.includes("://") : port === "") {
    throw invalid("it has no port");
  }
  if (colon !== undefined && !(/^\d+$/.test(port) && Number(port) <= 65535)) {
    throw invalid("its port is not a number up to 65535");
  }
  try {
    return new URL(`${scheme}://${authority}`).origin;
  } catch {
    throw invalid("it has no host");
  }
}
