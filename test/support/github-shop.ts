// The shop of the shipped demo as a repository on the GitHub double, with its people and the report of its bug.

import { rmSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { GithubDouble } from 'causeway-github-double';
import { gitIn } from '../../packages/git-objects/test/git-repository.ts';

const DEMO = path.join(import.meta.dirname, '..', '..', 'demo');

export const SHOP_NAME = 'corner/shop';

export interface ShopOptions {
  /** Default: SHOP_NAME. */
  readonly name?: string;
  readonly isPrivate?: boolean;
  /** Text of `.github/causeway.yml`. */
  readonly config?: string;
  /** Text of `.github/workflows/ci.yml`, the workflow whose jobs run; default none. */
  readonly workflow?: string;
}

let cloned: Promise<string> | undefined;

/** Once for all shops of this process, gone with it. */
async function cloneShop(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'causeway-shop-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  await gitIn(folder, 'clone', '--quiet', '--bare', '--template=', path.join(DEMO, 'corner-shop.bundle'), folder);
  return folder;
}

/** `mara` may write there, `per` may triage, `ola` is a stranger. */
export async function openShop({ people }: GithubDouble, options: ShopOptions = {}): Promise<void> {
  const { name = SHOP_NAME, isPrivate = false, config, workflow } = options;
  cloned ??= cloneShop();
  await people.openRepository(name, { from: await cloned, isPrivate });
  people.grant(name, 'mara', 'write');
  people.grant(name, 'per', 'triage');
  people.user('ola');
  people.makeLabel(name, 'analyse');
  const files = {
    ...(config !== undefined && { '.github/causeway.yml': config }),
    ...(workflow !== undefined && { '.github/workflows/ci.yml': workflow }),
  };
  if (Object.keys(files).length > 0) await people.push(name, { by: 'mara', files });
}

export interface BugReport {
  readonly name?: string;
  readonly by?: string;
  readonly labels?: readonly string[];
  /** Put behind the report. */
  readonly more?: string;
}

/**
 * Opens the issue that the demo reports; its number. By somebody with write: of others' reports nothing is pushed in a
 * public repository before it was read, and most stories are about what happens then.
 */
export async function reportBug({ people }: GithubDouble, bug: BugReport = {}): Promise<number> {
  const { name = SHOP_NAME, by = 'mara', labels = [], more = '' } = bug;
  const [title = '', ...rest] = (await readFile(path.join(DEMO, 'report.md'), 'utf8')).split('\n');
  const body = `${rest.join('\n').trim()}${more === '' ? '' : `\n\n${more}`}`;
  return people.openIssue(name, { by, title, body, labels }).number;
}

/** The turns of a model that finds it and mends it with a test, whatever the report. */
export async function shopScript(): Promise<object> {
  const { answers } = JSON.parse(await readFile(path.join(DEMO, 'corner-shop.script.json'), 'utf8'));
  return answers.find(({ to }: { readonly to: readonly string[] }) => to.length === 1 && to[0]?.includes("'percent'"));
}
