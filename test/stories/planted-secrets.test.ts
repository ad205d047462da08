// A secret in everything that comes in, one of each kind, through the real service: none is in anything that goes out or is kept.
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  BYSTANDER,
  ENVIRONMENT,
  everythingSaid,
  NAMES,
  type PlantedService,
  planted,
  plantedService,
} from '../support/planted-service.ts';
import { printedToken } from '../support/service.ts';
import { placesWith } from '../support/stored-text.ts';

let house: PlantedService;
let said: Map<string, string>;
/** The form that was refused: who sent it sees it again, as they filled it in. */
let refused = '';

beforeAll(async () => {
  house = await plantedService();
  said = await everythingSaid(house);
  refused = said.get('a form') ?? '';
  said.delete('a form');
});
afterAll(() => house[Symbol.asyncDispose]());

/** All that is said, with what shows the secret: the name of the output is not taken for it. */
function shown(secret: string): string[] {
  return [...said, ['log', house.service.output()] as const]
    .filter(([, text]) => text.includes(secret) || text.includes(secret.slice(4, 24)))
    .map(([name]) => name.replaceAll(secret, '…'));
}

it.each(NAMES)('a secret in %s is in no answer, page, header, prompt, webhook or line of the log', (name) => {
  expect(shown(planted(name))).toEqual([]);
});

it.each(NAMES)('a secret in %s is in no file of the service', async (name) => {
  expect(await placesWith(house.dataDir, planted(name).slice(4, 24))).toEqual([]);
});

it.each(Object.entries(ENVIRONMENT))('%s of the environment is nowhere', async (_name, secret) => {
  expect(shown(secret)).toEqual([]);
  expect(await placesWith(house.dataDir, secret)).toEqual([]);
});

it('what else the environment holds, the token and the session are nowhere', async () => {
  const token = printedToken(house.service);
  const session = /=([\w-]{20,})/.exec(said.get('cookie') ?? '')?.[1] ?? '';
  expect(session).not.toBe('');
  said.delete('cookie');
  expect(shown(BYSTANDER)).toEqual([]);
  expect([...said.values()].filter((text) => text.includes(token))).toEqual([]);
  for (const secret of [BYSTANDER, token, session]) expect(await placesWith(house.dataDir, secret)).toEqual([]);
  // The first start prints the token for people, once; the log never.
  const log = house.service
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  expect(log.length).toBeGreaterThan(20);
  expect(log.filter((line) => line.includes(token))).toEqual([]);
});

it('the help of the command says nothing of the environment', () => {
  const main = path.join(import.meta.dirname, '..', '..', 'src', 'main.ts');
  const help = execFileSync(process.execPath, [main, '--help'], {
    encoding: 'utf8',
    env: { ...process.env, ...ENVIRONMENT },
  });
  expect(Object.values(ENVIRONMENT).filter((secret) => help.includes(secret))).toEqual([]);
});

it('what was planted did arrive: each place was reached', () => {
  const all = [...said.values()].join('\n');
  expect(all.split('[redacted]').length).toBeGreaterThan(NAMES.length);
  expect(said.get('prompts')).toContain('value of [redacted] is 42');
});

it('a form that is refused is shown again to who sent it, kept by nothing on the way', () => {
  expect(refused.slice(0, 4)).toBe('[400');
  expect(refused).toContain(planted('form of a page'));
  expect(refused).toMatch(/cache-control","(?:private, )?no-store/);
});
