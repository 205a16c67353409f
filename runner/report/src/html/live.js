"use strict";

// Replaces the parts of the page that the runner sends. Every part is complete, so that one that is lost or comes twice
// changes nothing. Those of one state are replaced together, so that no match is both under way and over.
(() => {
  // The runner says something every 10 seconds.
  const SILENCE_MS = 35000;
  const RETRY_MS = 3000;
  const TICK_MS = 100;
  const link = document.getElementById("link");
  let since = document.querySelector("meta[name=since]").content;
  let phase = "live";
  let source = null;
  let retry = 0;
  let silence = 0;
  // The time of the runner minus the time here, in milliseconds.
  let ahead = 0;
  const arrived = new Map();

  function say(text) {
    if (link.textContent !== text) {
      link.textContent = text;
    }
  }

  function show(part, inside) {
    const frames = () => [...part.querySelectorAll("[tabindex]")];
    const named = (name) => frames().find((frame) => frame.ariaLabel === name);
    const scrolled = frames().map((frame) => [frame.ariaLabel, frame.scrollLeft, frame.scrollTop]);
    const focused = part.contains(document.activeElement) ? document.activeElement.ariaLabel : null;
    part.innerHTML = inside;
    for (const [name, left, top] of scrolled) {
      named(name)?.scrollTo({ left, top, behavior: "instant" });
    }
    if (focused !== null) {
      named(focused)?.focus({ preventScroll: true });
    }
  }

  // As the runner writes it.
  function clockText(ms) {
    const seconds = Math.floor(ms / 1000);
    if (seconds < 10) {
      return (Math.floor(ms / 100) / 10).toFixed(1);
    }
    const two = (number) => String(number).padStart(2, "0");
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    return (hours > 0 ? hours + ":" + two(minutes) : minutes) + ":" + two(seconds % 60);
  }

  // Moves the clocks that run, as long as the runner is there.
  function tick() {
    if (source === null || source.readyState !== EventSource.OPEN) {
      return;
    }
    for (const clock of document.querySelectorAll("[data-since]")) {
      const spent = Math.max(0, Date.now() + ahead - clock.dataset.since);
      // Not `textContent`: that replaces the node.
      clock.firstChild.data = clockText(Math.max(0, clock.dataset.left - spent));
    }
  }

  function close() {
    clearTimeout(retry);
    clearTimeout(silence);
    source?.close();
    source = null;
    arrived.clear();
  }

  function later() {
    close();
    retry = setTimeout(open, RETRY_MS);
  }

  function heard() {
    clearTimeout(silence);
    silence = setTimeout(later, SILENCE_MS);
    say("");
  }

  function open() {
    close();
    // A tab that nobody sees holds no connection: a browser has six for a host.
    if (document.hidden || phase === "over") {
      return;
    }
    source = new EventSource("events?since=" + encodeURIComponent(since));
    source.addEventListener("part", (event) => {
      heard();
      const end = event.data.indexOf("\n");
      arrived.set(event.data.slice(0, end), event.data.slice(end + 1));
    });
    source.addEventListener("state", (event) => {
      heard();
      for (const [name, inside] of arrived) {
        show(document.getElementById("part-" + name), inside);
      }
      arrived.clear();
      since = event.lastEventId;
      phase = event.data;
      if (phase === "over") {
        close();
        say("The event is over; this is its last state.");
      }
    });
    source.addEventListener("beat", heard);
    source.addEventListener("time", (event) => {
      ahead = event.data - Date.now();
    });
    source.addEventListener("error", () => {
      say(phase === "stopped"
        ? "The runner has stopped. The page goes on when it resumes."
        : "No answer from the runner; trying again.");
      // Otherwise the browser itself tries again.
      if (source !== null && source.readyState === EventSource.CLOSED) {
        later();
      }
    });
  }

  setInterval(tick, TICK_MS);
  document.addEventListener("visibilitychange", open);
  open();
})();
