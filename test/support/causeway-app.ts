// The App as app.yml describes it, which is that of a newcomer: for the GitHub double.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { AppOptions, AppPermissions } from 'causeway-github-double';
import { parse } from 'yaml';

const manifest: { readonly default_permissions: AppPermissions; readonly default_events: readonly string[] } = parse(
  readFileSync(path.join(import.meta.dirname, '..', '..', 'app.yml'), 'utf8'),
);

export const CAUSEWAY_APP = {
  slug: 'causeway',
  permissions: manifest.default_permissions,
  events: manifest.default_events,
} satisfies Partial<AppOptions>;
