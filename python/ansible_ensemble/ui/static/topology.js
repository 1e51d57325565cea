import { get } from "./api.js";
import { announce, badge, empty, h, show } from "./dom.js";

const AROUND = 16;
// Below this scale nobody reads a text, and drawing all of them is what takes long.
const LEGIBLE = 0.3;
// A small screen shows texts that are read and a part of the topology, rather than all of it.
const SMALL = 640;
const READ = 0.85;
const LEAST = 0.05;
const GROUPS = { "": "each instance", type: "by type", host: "by host", group: "by group" };
const STATES = { creating: "pending", configuring: "pending", starting: "pending", stopping: "pending", deleting: "pending" };

export async function open(context) {
  const view = new Topology(context);
  await view.load();
  return view;
}

/** A layered graph that is zoomed and moved by mouse, fingers or keys. */
class Topology {
  constructor(context) {
    this.context = context;
    this.group = "";
    this.scale = 1;
    this.x = this.y = AROUND;
    this.sought = "";
    this.whole = false;
  }

  async load() {
    const { ensemble } = this.context;
    this.graph = await get("graph", { ensemble, group: this.group });
    this.begun = await Promise.all(this.graph.running.map((job) => get(`jobs/${encodeURIComponent(job)}/entries`, { ensemble }).catch(() => null)));
  }

  async refresh() {
    await this.load();
    await this.draw(true);
  }

  draw(keep = false) {
    const { boxes } = this.graph.drawing;
    const { ensemble, address, content } = this.context;
    if (!boxes.length) {
      show(content, h("h1", {}, "Topology"), empty("Nothing is declared and nothing is deployed."));
      return;
    }
    const warnings = this.graph.warnings.map((text) => h("p", { class: "warning" }, text));
    this.layer = h("g");
    this.drawing = h("svg", {
      class: "topology", tabindex: "0", role: "group", id: "topology",
      "aria-label": "The topology; arrow keys move it, plus and minus zoom, 0 shows all",
    }, h("defs", {}, h("marker", {
      id: "end", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto",
    }, h("path", { class: "head", d: "M0 0L8 4L0 8z" }))), this.layer);
    this.edges = this.graph.drawing.edges.map((edge) => h("path", { class: "edge", d: edge.path, "marker-end": "url(#end)" }));
    this.boxes = new Map(boxes.map((drawn) => [drawn.box.name, this.boxOf(drawn)]));
    this.layer.append(...this.edges, ...this.boxes.values());
    show(content, h("h1", {}, "Topology"), warnings,
      h("p", { class: "summary" }, this.graph.words.summary, " ",
        this.graph.words.empty ? null : h("a", { href: address("plan", ensemble) }, "Look at the plan")),
      h("div", { class: "tools" },
        h("label", {}, "Find ", h("input", { id: "find", type: "search", value: this.sought, oninput: (event) => this.find(event.target.value) })),
        h("label", {}, "Show ", h("select", { id: "group", onchange: (event) => this.regroup(event.target.value) },
          Object.entries(GROUPS).map(([value, text]) => h("option", { value, selected: value === this.group }, text)))),
        h("span", { class: "buttons" },
          h("button", { id: "zoom-in", onclick: () => this.zoom(1.25), "aria-label": "Zoom in" }, "+"),
          h("button", { id: "zoom-out", onclick: () => this.zoom(0.8), "aria-label": "Zoom out" }, "−"),
          h("button", { id: "zoom-all", onclick: () => this.all() }, "All"))),
      this.drawing, this.legend());
    for (const job of this.begun) if (job) this.entries(job);
    this.listen();
    this.find(this.sought);
    this.placed = keep && this.placed;
    this.sized?.disconnect();
    this.sized = new ResizeObserver(() => (this.placed ? this.move() : this.fit()));
    this.sized.observe(this.drawing);
  }

  close() {
    this.sized?.disconnect();
  }

  boxOf({ box, left, top, width, height }) {
    const { ensemble, address } = this.context;
    const shape = h("rect", { x: left, y: top, width, height, rx: 6, class: `box colour-${box.colour.slice(1)}` });
    const parts = [h("title", {}, `${box.title}: ${box.words}`), shape,
      h("text", { x: left + 14, y: top + 19 }, clip(box.title, 48)),
      h("text", { x: left + 14, y: top + 36, class: "words" }, clip(box.words, 55))];
    const group = h("g", { id: `node-${box.name}`, class: "node", tabindex: "0", role: "link", "aria-label": `${box.title}: ${box.words}` }, parts);
    group.place = { left, top, width, height };
    const open = () => {
      if (this.group) this.regroup("");
      else this.context.go(address("instance", ensemble, box.name));
    };
    group.addEventListener("click", () => { if (!this.moved) open(); });
    group.addEventListener("keydown", (event) => { if (event.key === "Enter") open(); });
    group.addEventListener("focus", () => this.reveal(group.place));
    return group;
  }

  legend() {
    const counts = new Map();
    for (const one of this.graph.instances) counts.set(one.status, (counts.get(one.status) ?? 0) + 1);
    return h("p", { class: "faint" }, [...counts].map(([status, count]) => [badge(status, count), " "]));
  }

  /** Show what a running job does to instances, without asking for the whole anew. */
  entries({ entries }) {
    if (this.group) return;
    for (const { patches } of entries) {
      for (const patch of patches ?? []) {
        const words = this.boxes?.get(patch.name)?.querySelector(".words");
        if (words && patch.state) words.textContent = patch.status ? `${patch.status} (${patch.state})` : patch.state;
        this.boxes?.get(patch.name)?.classList.toggle("at-work", STATES[patch.state] === "pending");
      }
    }
  }

  find(text) {
    this.sought = text;
    const wanted = text.trim().toLowerCase();
    let first;
    let count = 0;
    for (const [name, group] of this.boxes) {
      const hit = !wanted || `${name} ${group.getAttribute("aria-label")}`.toLowerCase().includes(wanted);
      group.classList.toggle("dim", !hit);
      if (hit) { first ??= group; count += 1; }
    }
    for (const edge of this.edges) edge.classList.toggle("dim", Boolean(wanted));
    if (wanted) {
      announce(`${count} found`);
      if (first) this.reveal(first.place);
    }
  }

  async regroup(group) {
    this.group = group;
    this.context.content.setAttribute("aria-busy", "true");
    try {
      await this.load();
      this.draw();
    } finally {
      this.context.content.removeAttribute("aria-busy");
    }
  }

  all() {
    this.whole = true;
    this.placed = false;
    this.fit();
  }

  fit() {
    const { width, height, boxes } = this.graph.drawing;
    const room = this.drawing.getBoundingClientRect();
    const least = !this.whole && room.width < SMALL ? READ : LEAST;
    this.scale = Math.max(least, Math.min(1, (room.width - 2 * AROUND) / width, (room.height - 2 * AROUND) / height));
    const first = boxes.reduce((one, other) => (other.left < one.left ? other : one));
    const middle = height * this.scale <= room.height ? height / 2 : first.top + first.height / 2;
    this.x = Math.max(AROUND, (room.width - width * this.scale) / 2);
    this.y = room.height / 2 - middle * this.scale;
    this.move();
  }

  /** Zoom about a point, in pixels of the drawing; about its middle where none is given. */
  zoom(factor, at) {
    const room = this.drawing.getBoundingClientRect();
    const [x, y] = at ?? [room.width / 2, room.height / 2];
    const scale = Math.min(3, Math.max(LEAST, this.scale * factor));
    this.x = x - (x - this.x) * (scale / this.scale);
    this.y = y - (y - this.y) * (scale / this.scale);
    this.scale = scale;
    this.place();
  }

  reveal({ left, top, width, height }) {
    const room = this.drawing.getBoundingClientRect();
    const x = left * this.scale + this.x;
    const y = top * this.scale + this.y;
    const inside = x >= 0 && y >= 0 && x + width * this.scale <= room.width && y + height * this.scale <= room.height;
    if (inside) return;
    this.x = room.width / 2 - (left + width / 2) * this.scale;
    this.y = room.height / 2 - (top + height / 2) * this.scale;
    this.place();
  }

  /** Move it to where somebody wants it, where it stays. */
  place() {
    this.placed = true;
    this.move();
  }

  move() {
    this.layer.classList.toggle("far", this.scale < LEGIBLE);
    this.layer.setAttribute("transform", `translate(${this.x} ${this.y}) scale(${this.scale})`);
  }

  listen() {
    const svg = this.drawing;
    const pointers = new Map();
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const room = svg.getBoundingClientRect();
      this.zoom(Math.exp(-event.deltaY / 400), [event.clientX - room.left, event.clientY - room.top]);
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => {
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      this.moved = false;
    });
    svg.addEventListener("pointermove", (event) => {
      const before = pointers.get(event.pointerId);
      if (!before) return;
      const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
      if (!this.moved && Math.hypot(dx, dy) < 4) return;
      if (!this.moved) svg.setPointerCapture(event.pointerId);
      this.moved = true;
      const others = [...pointers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      if (others.length) {
        const [[x, y]] = others;
        this.zoom(Math.hypot(event.clientX - x, event.clientY - y) / Math.max(1, Math.hypot(before[0] - x, before[1] - y)));
      } else {
        this.x += dx;
        this.y += dy;
        this.place();
      }
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
    });
    for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, (event) => pointers.delete(event.pointerId));
    svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] }[event.key];
      if (step) { this.x += step[0]; this.y += step[1]; this.place(); }
      else if (event.key === "+" || event.key === "=") this.zoom(1.25);
      else if (event.key === "-") this.zoom(0.8);
      else if (event.key === "0") this.all();
      else return;
      event.preventDefault();
    });
  }
}

function clip(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
