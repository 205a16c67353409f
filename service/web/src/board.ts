// The picture of a position, as the service draws it.

/** The most pictures that are kept. */
const MOST_KEPT = 400;

/** The pause before a picture that has failed is fetched again. */
const AGAIN_MS = 1000;

const kept = new Map<string, Promise<string>>();

/** The address of the picture of a position. `before` is the position before it, if what has changed is to be marked. */
export function boardAddress(game: string, position: string, before?: string): string {
  const query = new URLSearchParams({ position, ...(before === undefined ? {} : { before }) });
  return `/board/${encodeURIComponent(game)}.svg?${query}`;
}

async function fetched(address: string): Promise<string> {
  const answer = await fetch(address);
  if (!answer.ok) {
    throw new Error(await answer.text());
  }
  return answer.text();
}

/** The picture at an address, from here or from the service. */
export function pictureAt(address: string): Promise<string> {
  const known = kept.get(address);
  if (known !== undefined) {
    return known;
  }
  const picture = fetched(address);
  kept.set(address, picture);
  picture.catch(() => kept.delete(address));
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) {
    kept.delete(oldest);
  }
  return picture;
}

/** A board in the page that shows one position after another, and hears clicks on its areas. */
export class Board {
  /** Where it is. */
  readonly element = document.createElement("div");
  /** What the position says in words. */
  status = "";
  #shown = "";
  #wanted = "";
  #again: ReturnType<typeof setTimeout> | undefined;
  #marks: { can: ReadonlySet<string>; picked: readonly string[] } = { can: new Set(), picked: [] };
  readonly #changed: () => void;

  constructor(changed: () => void, picked: (area: string) => void) {
    this.#changed = changed;
    this.element.className = "board";
    this.element.addEventListener("click", (event) => {
      const area = event.target instanceof SVGElement ? event.target.dataset["area"] : undefined;
      if (area !== undefined) {
        picked(area);
      }
    });
  }

  /** Shows a position as soon as its picture has come; one that is wanted later comes first. */
  show(address: string): void {
    if (this.#wanted !== address) {
      clearTimeout(this.#again);
      this.#wanted = address;
      void this.#draw(address);
    }
  }

  /** Fetches no more pictures. */
  close(): void {
    clearTimeout(this.#again);
    this.#wanted = "";
  }

  /** Marks the areas that can be picked next, and those that are picked. */
  mark(can: ReadonlySet<string>, picked: readonly string[]): void {
    this.#marks = { can, picked };
    for (const area of this.element.querySelectorAll<SVGElement>("[data-area]")) {
      const name = area.dataset["area"] ?? "";
      area.classList.toggle("can", can.has(name));
      area.classList.toggle("picked", picked.includes(name));
    }
  }

  async #draw(address: string): Promise<void> {
    let status: string;
    let content: Node;
    try {
      const svg = new DOMParser().parseFromString(await pictureAt(address), "image/svg+xml").documentElement;
      content = document.importNode(svg, true);
      status = svg.getAttribute("aria-label") ?? "";
    } catch (error) {
      status = error instanceof TypeError ? "The board cannot be drawn: the service does not answer." : String(error);
      content = document.createElement("p");
      content.textContent = status;
    }
    if (this.#wanted !== address || this.#shown === address) {
      return;
    }
    this.element.replaceChildren(content);
    this.#shown = content instanceof SVGElement ? address : "";
    if (this.#shown === "") {
      this.#again = setTimeout(() => {
        this.#wanted = "";
        this.#changed();
      }, AGAIN_MS);
    }
    this.status = status;
    this.element.dataset["address"] = address;
    this.mark(this.#marks.can, this.#marks.picked);
    this.#changed();
  }
}
