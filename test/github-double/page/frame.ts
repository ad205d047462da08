// The frame around every page: heading, tabs of the repository, style.
import { type Html, html } from './html.ts';
import type { View } from './view.ts';

export interface Framed {
  readonly title: string;
  readonly body: Html;
  /** Null: no repository. */
  readonly view: View | null;
  readonly tab?: 'code' | 'issues' | 'pulls';
}

export function framed({ title, body, view, tab }: Framed): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · GitHub double</title>
<link rel="stylesheet" href="/-/style.css">
<link rel="icon" href="data:,">
<script src="/-/live.js" defer></script>
</head>
<body>
<header class="top"><a class="home" href="/">GitHub double</a>${
    view &&
    html`<nav aria-label="Path"><a href="/">${view.name.split('/')[0]}</a><span>/</span><a href="/${view.name}"><strong>${view.repository.name}</strong></a></nav>`
  }</header>
${view && tabs(view, tab)}
<main>${body}</main>
</body>
</html>`;
}

function tabs({ repository, name }: View, current: Framed['tab']): Html {
  const open = [...repository.issues.values()].filter(({ state }) => state === 'open');
  const pulls = open.filter(({ pull }) => pull !== null).length;
  const tab = (key: string, path: string, label: string, count: number | null) =>
    html`<a href="/${name}${path}"${key === current && html` aria-current="page"`}>${label}${
      count ? html` <span class="counter">${count}</span>` : ''
    }</a>`;
  return html`<nav class="tabs" aria-label="Repository">
${tab('code', '', 'Code', null)}${tab('issues', '/issues', 'Issues', open.length - pulls)}${tab('pulls', '/pulls', 'Pull requests', pulls)}
</nav>`;
}

/** A page that says what went wrong. */
export function refusal(title: string, detail: string, view: View | null): Html {
  return framed({ title, view, body: html`<h1 class="title">${title}</h1><p>${detail}</p>` });
}
