// The settings with which the real service is the double's App, and plays a script where one is given.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GithubDouble } from '../github-double/double.ts';

/** The organisation that it serves; `nora` owns it, `mara` may write, `per` may triage, `ola` is a stranger. */
export const OWNER = 'corner';

/** Key and script are written into `folder`. */
export async function appSettings(
  { app, webUrl }: GithubDouble,
  folder: string,
  script: object | undefined,
): Promise<Readonly<Record<string, string>>> {
  const key = path.join(folder, 'app.pem');
  await writeFile(key, app.privateKey, { mode: 0o600 });
  const scripted = path.join(folder, 'script.json');
  if (script !== undefined) await writeFile(scripted, JSON.stringify(script));
  return {
    APP_ID: String(app.id),
    PRIVATE_KEY_PATH: key,
    WEBHOOK_SECRET: app.webhookSecret,
    GITHUB_CLIENT_ID: app.clientId,
    GITHUB_CLIENT_SECRET: app.clientSecret,
    // The double answers as GitHub Enterprise Server does, with its API below /api/v3.
    GHE_HOST: new URL(webUrl).host,
    GHE_PROTOCOL: 'http',
    ALLOWED_OWNERS: OWNER,
    RATE_LIMIT: 'off',
    ...(script === undefined ? {} : { MODEL: `scripted:${scripted}` }),
  };
}
