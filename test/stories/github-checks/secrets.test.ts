// Secrets in every text that GitHub has of red checks: none of them is stored, and none is shown by us.
import { expect, it } from 'vitest';
import { noise } from '../../../packages/redact/test/planted.ts';
import { redStage, resultOf } from '../../support/github-red-desk.ts';
import { COUPONS } from '../../support/github-red-model.ts';
import { placesWith } from '../../support/stored-text.ts';

const stage = redStage();

function planting() {
  const secrets = new Map<string, string>();
  const plant = (place: string, secret: string) => {
    secrets.set(secret, place);
    return secret;
  };
  return {
    secrets,
    token: (place: string) => plant(place, ['gh', 'p_', noise(36, secrets.size + 500)].join('')),
    password: (place: string) => plant(place, `pass${noise(9, secrets.size + 900)}`),
    /** Lines of a log, a secret in each that has no form of its own, or one of 2026. */
    lines: () => {
      const value = (place: string, length: number) => plant(`log: ${place}`, noise(length, secrets.size + 1_300));
      return [
        `  'set-cookie': [ 'sid=${value('cookie of Node', 32)}; Path=/; HttpOnly' ],`,
        `"HTTP_COOKIE"=>"theme=dark; sid=${value('cookie of Rack', 32)}"`,
        `curl -b 'sid=${value('cookie of curl', 32)}' https://api.test/`,
        `POST https://api.telegram.org/bot123456789:AA${value('Telegram', 33)}/sendMessage`,
        `SUPABASE: ${['sb', 'secret', ''].join('_')}${value('Supabase', 22)}_${noise(8, 1_299)}`,
        `open app:${value('Go MySQL', 20)}@tcp(db:3306)/shop`,
        `密码：${value('Chinese', 20)}`,
        `keytool -list -storepass ${value('keytool', 20)}`,
      ].join('\n');
    },
  };
}

/** A mirror is a copy of the repository, with the names of its branches: what its owner put there, it holds. */
const isRef = (file: string) => /\/mirrors\/[^/]+\.git\/packed-refs$/.test(file);

async function stored(secrets: ReadonlyMap<string, string>): Promise<readonly string[]> {
  const found = await Promise.all(
    [...secrets].map(async ([text, place]) => {
      const files = await placesWith(stage.dataDir, text);
      return { place, files: files.filter((file) => !isRef(file)) };
    }),
  );
  return found.filter(({ files }) => files.length > 0).map(({ place }) => place);
}

it.each(['a pull request', 'the default branch'])(
  'no secret in what is red on %s is stored or shown',
  async (where) => {
    const isPull = where === 'a pull request';
    const desk = await stage.desk(isPull ? 'corner/secret-pull' : 'corner/secret-main');
    const { people } = stage.double;
    const { secrets, token, password, lines } = planting();
    const branch = isPull ? `coupons-${token('branch')}` : 'main';
    const green = await desk.tip('main');
    const name = `test ${token('check name')}`;
    if (!isPull) await desk.run(green, { [name]: 'success' });
    const message = `Use ${token('subject')}\n\n${token('message')}`;
    const files = { 'notes.md': 'x\n' };
    const sha = await people.push(desk.name, { by: 'mara', branch, files, message });
    if (isPull) {
      await people.openPull(desk.name, {
        by: 'mara',
        title: `Coupons ${token('title')}`,
        head: branch,
        body: token('body'),
      });
    }
    const { log = '', ...result } = resultOf(COUPONS);
    const words = { title: token('output title'), summary: token('summary'), text: token('text') };
    const annotation = {
      path: `src/${token('path')}.js`,
      startLine: 1,
      message: token('annotation'),
      title: token('its title'),
    };
    await people.reportStatus(desk.name, {
      ...{ sha, state: 'failure', context: `ci ${token('status name')}`, description: token('description') },
      targetUrl: `https://robot:${password('login')}@ci.test/${token('url path')}?key=${password('query')}#${password('fragment')}`,
    });
    await people.reportCheck(desk.name, {
      ...{ sha, name: `lint ${token('other name')}`, app: 'other-ci', conclusion: 'failure', output: words },
      annotations: [annotation],
      detailsUrl: `https://lint.test/run?key=${password('query of details')}`,
    });
    await desk.run(sha, {
      [name]: {
        ...result,
        log: `printed ${token('log')}\n${lines()}\n${log}`,
        output: words,
        annotations: [annotation],
      },
    });
    const shown = desk.checkRun(sha);
    expect(shown.words).toContain('test [redacted]');
    expect((await desk.failures()).length).toBeGreaterThan(0);
    const prompts = desk.begun();
    expect(prompts.join('\n')).toContain('keytool -list -storepass [redacted]');
    const said = JSON.stringify([shown, desk.writes(), prompts]);
    expect([...secrets].filter(([text]) => said.includes(text)).map(([, place]) => place)).toEqual([]);
    expect(await stored(secrets)).toEqual([]);
  },
);
