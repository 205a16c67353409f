"use strict";

(() => {
  const STEP_MS = 700;
  const data = JSON.parse(document.getElementById("data").textContent);
  const frames = data.frames;
  const byId = (id) => document.getElementById(id);
  const layers = { marks: byId("marks"), pieces: byId("pieces") };
  const slider = byId("slider");
  const steps = [...document.querySelectorAll(".steps button")];
  let now = 0;
  let timer = null;

  function draw(layer, text) {
    const uses = text === "" ? [] : text.split(";").map((piece) => {
      const [glyph, x, y] = piece.split(" ");
      const use = document.createElementNS(layer.namespaceURI, "use");
      use.setAttribute("href", "#" + glyph);
      use.setAttribute("x", x);
      use.setAttribute("y", y);
      return use;
    });
    layer.replaceChildren(...uses);
  }

  function show(number) {
    now = Math.max(0, Math.min(frames.length - 1, number));
    const frame = frames[now];
    draw(layers.marks, frame.marks);
    draw(layers.pieces, frame.pieces);
    byId("step").textContent = frame.step;
    byId("status").textContent = frame.status;
    byId("score").textContent = frame.score;
    byId("thoughts").textContent = frame.thoughts;
    byId("position").textContent = frame.position;
    data.sides[frame.sides].forEach((side, at) => {
      byId("side" + at).textContent = side;
    });
    slider.value = String(now);
    slider.setAttribute("aria-valuetext", frame.step);
    for (const step of steps) {
      const current = Number(step.dataset.frame) === now;
      step.setAttribute("aria-current", String(current));
      if (current) {
        const list = step.closest(".steps");
        const top = step.offsetTop - list.clientHeight / 2;
        list.scrollTop = Math.max(0, top);
      }
    }
    history.replaceState(null, "", "#" + now);
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    byId("play").textContent = "Play";
    byId("play").setAttribute("aria-label", "play");
  }

  function play() {
    if (timer !== null) {
      stop();
      return;
    }
    if (now === frames.length - 1) {
      show(0);
    }
    byId("play").textContent = "Pause";
    byId("play").setAttribute("aria-label", "pause");
    timer = setInterval(() => {
      show(now + 1);
      if (now === frames.length - 1) {
        stop();
      }
    }, STEP_MS);
  }

  const go = {
    first: () => show(0),
    back: () => show(now - 1),
    play,
    on: () => show(now + 1),
    last: () => show(frames.length - 1),
  };
  for (const [id, action] of Object.entries(go)) {
    byId(id).addEventListener("click", () => {
      if (id !== "play") {
        stop();
      }
      action();
    });
  }
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  for (const step of steps) {
    step.addEventListener("click", () => {
      stop();
      show(Number(step.dataset.frame));
    });
  }
  const keys = { ArrowLeft: "back", ArrowRight: "on", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    const free = event.target === document.body || event.target.closest(".steps");
    const action = keys[event.key];
    if (free && action && !event.altKey && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      stop();
      go[action]();
    }
  });
  function showAsked() {
    const asked = Number(location.hash.slice(1));
    show(Number.isInteger(asked) ? asked : 0);
  }

  addEventListener("hashchange", () => {
    stop();
    showAsked();
  });
  document.querySelector(".controls").hidden = false;
  showAsked();
})();
