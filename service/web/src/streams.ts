// Which tab may hold a stream. Over HTTP/1.1 a browser opens six connections to an address, for all tabs together, and a
// stream takes one of them for as long as it lasts: with six streams open nothing else would be answered, in any tab.

/** The most streams that all tabs hold together over HTTP/1.1; the other connections are for calls. */
const MOST_STREAMS = 3;

/** True if the page came over HTTP/2 or later, where streams share a connection. */
function sharesConnection(): boolean {
  const [navigation] = performance.getEntriesByType("navigation");
  const protocol = navigation instanceof PerformanceNavigationTiming ? navigation.nextHopProtocol : "";
  return /^h[23]/.test(protocol);
}

/** True if tabs can and need to share what they watch. */
export function tabsShare(): boolean {
  return !sharesConnection() && navigator.locks !== undefined;
}

/**
 * Runs `stream` while this tab holds one of the places for streams. Returns false at once if all are taken, or if the
 * browser does not say so (which it does on the loopback and with TLS only).
 */
export async function withStream(stream: () => Promise<void>): Promise<boolean> {
  if (sharesConnection()) {
    await stream();
    return true;
  }
  for (let place = 0; navigator.locks !== undefined && place < MOST_STREAMS; place += 1) {
    const held = await navigator.locks.request(`stream ${place}`, { ifAvailable: true }, async (lock) => {
      if (lock !== null) {
        await stream();
      }
      return lock !== null;
    });
    if (held) {
      return true;
    }
  }
  return false;
}

/** Runs `lead` in one tab at a time for each name, in the others when it is their turn. */
export async function inOneTab(name: string, signal: AbortSignal, lead: () => Promise<void>): Promise<void> {
  if (!tabsShare()) {
    await lead();
    return;
  }
  await navigator.locks.request(name, { signal }, lead);
}
