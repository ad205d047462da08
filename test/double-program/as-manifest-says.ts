// The double's App with the permissions and events of app.yml, which are those of a newcomer's.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import type { App, Permissions } from '../../packages/github-double/src/state.ts';

const MANIFEST = path.join(import.meta.dirname, '..', '..', 'app.yml');

export async function asManifestSays(app: App): Promise<void> {
  const manifest: { default_permissions: Permissions; default_events: readonly string[] } = parse(
    await readFile(MANIFEST, 'utf8'),
  );
  app.permissions = manifest.default_permissions;
  app.events = manifest.default_events;
}
