/** Where a service usually listens. */
export const DEFAULT_SERVER = "http://127.0.0.1:4640";

/** Greatest number of addresses in a list. */
const MAX_ADDRESSES = 16;

/** Returns true if a list has several addresses, so that another one is left when one fails. */
export function hasReplicas(text: string): boolean {
  return text.includes(",");
}

/** Returns true if an address, as `parseAddresses` returns it, is on this machine. */
export function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d{1,3}){3}$/.test(hostname);
}

/**
 * Parses addresses of one service, separated by commas, to be tried in this order. Throws a `TypeError` with the fault
 * and the address that has it.
 */
export function parseAddresses(text: string): [string, ...string[]] {
  const [first = "", ...others] = text.split(",");
  const addresses: [string, ...string[]] = [parseAddress(first.trim()), ...others.map((part) => parseAddress(part.trim()))];
  if (addresses.length > MAX_ADDRESSES) {
    throw new TypeError(`a list of more than ${MAX_ADDRESSES} service addresses`);
  }
  if (new Set(addresses.map((address) => new URL(address).protocol)).size > 1) {
    throw new TypeError(`${addresses.join(",")} mixes http and https: all addresses of a service use https, or none`);
  }
  return addresses;
}

/**
 * Parses `http://host:port`, `https://host:port`, or `host:port`, which means `http`. Throws a `TypeError` with the
 * fault; its text never contains a password.
 */
function parseAddress(text: string): string {
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
