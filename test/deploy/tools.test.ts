// The ways to run and the alert rules, read by the tools that they are for; each check is skipped where its tool is not installed.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';

const ROOT = path.join(import.meta.dirname, '..', '..');

interface Ran {
  readonly status: number | null;
  readonly out: string;
}

function run([program = '', ...args]: readonly string[], env: Readonly<Record<string, string>> = {}): Ran {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { ...process.env, ...env } });
  return { status, out: `${stdout}${stderr}` };
}

const isThere = (...words: readonly string[]) => run(words).status === 0;
const COMPOSE = [['docker', 'compose'], ['docker-compose']].find((words) => isThere(...words, 'version'));

describe.skipIf(COMPOSE === undefined)('docker compose', () => {
  it.each(['compose.yaml', 'deploy/compose.postgres.yaml'])('understands %s, and asks for its address', (file) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'causeway-compose-'));
    try {
      mkdirSync(path.join(folder, 'deploy'));
      copyFileSync(path.join(ROOT, file), path.join(folder, file));
      for (const name of ['.env.causeway', 'deploy/causeway.env']) writeFileSync(path.join(folder, name), '');
      const config = (url: string) =>
        run([...(COMPOSE ?? []), '-f', path.join(folder, file), 'config', '--quiet'], { PUBLIC_URL: url });
      expect(config('https://causeway.example.com')).toEqual({ status: 0, out: '' });
      const without = config('');
      expect(without.status).not.toBe(0);
      expect(without.out).toContain('say under which https address GitHub reaches this service');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

it.skipIf(!isThere('kubectl', 'version', '--client'))('kubectl builds the kustomization, whole', () => {
  const built = run(['kubectl', 'kustomize', path.join(ROOT, 'deploy', 'kubernetes')]);
  expect(built.status).toBe(0);
  const kinds = parseAllDocuments(built.out).map((each) => each.get('kind'));
  expect(kinds.filter((kind) => kind === 'Deployment')).toHaveLength(2);
  for (const kind of ['ConfigMap', 'Service', 'Job', 'NetworkPolicy', 'PodDisruptionBudget']) {
    expect(kinds).toContain(kind);
  }
});

it.skipIf(!isThere('promtool', '--version'))('promtool takes the alert rules', () => {
  const checked = run(['promtool', 'check', 'rules', path.join(ROOT, 'deploy', 'prometheus', 'alerts.yaml')]);
  expect(checked.status).toBe(0);
  expect(checked.out).toMatch(/SUCCESS: \d+ rules found/);
});
