// A label in its colour, with a text that can be read on it.
import { type Html, html } from './html.ts';
import type { View } from './view.ts';

export function labelPill({ repository }: View, name: string): Html {
  const colour = repository.labels.get(name.toLowerCase())?.color ?? 'ededed';
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  const text = red * 0.299 + green * 0.587 + blue * 0.114 > 150 ? '#1f2328' : '#ffffff';
  return html`<span class="label" style="background:#${colour};color:${text}">${name}</span> `;
}
