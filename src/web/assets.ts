// The one style and the one script of the pages: read at start, served under names that change with their content.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Handler } from 'hono';
import { refuseAbsentPage } from './refusal.ts';
import type { WebEnv } from './web-deps.ts';

const STYLES = ['base', 'parts', 'forms', 'investigation', 'issue', 'failures', 'account'];

interface Asset {
  readonly href: string;
  readonly name: string;
  readonly type: string;
  readonly text: string;
}

export const ASSETS = {
  style: asset('style', 'css', 'text/css; charset=utf-8', STYLES.map((name) => read(`${name}.css`)).join('\n')),
  script: asset('page', 'js', 'text/javascript; charset=utf-8', read('page.js')),
} as const;

/** GET /assets/{name}: open to everybody, as they hold nothing of anybody. */
export function getAsset(): Handler<WebEnv> {
  return (c) => {
    const found = Object.values(ASSETS).find(({ name }) => name === c.req.param('name')) ?? refuseAbsentPage();
    const headers = { 'Content-Type': found.type, 'Cache-Control': 'public, max-age=31536000, immutable' };
    return c.body(found.text, 200, headers);
  };
}

function asset(stem: string, extension: string, type: string, text: string): Asset {
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const name = `${stem}.${digest}.${extension}`;
  return { href: `/assets/${name}`, name, type, text };
}

function read(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), 'utf8');
}
