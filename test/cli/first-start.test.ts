import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { type Started, startText } from '../../src/cli/start-text.ts';

const TOKEN = `cwy_${'a'.repeat(36)}`;
const DATA = "TypeError: Cannot read 'percent'\n    at discountFor (src/coupons.js:14:11)";
const projects = ['corner-shop', 'shop'].map((name) => ({
  id: `prj_${name}`,
  name: `local/${name}`,
  source: { kind: 'path', path: `/home/ada/${name}` } as const,
  createdAt: '',
}));
const launcher = { here: 'bin/causeway', anywhere: '/srv/causeway/bin/causeway' };

function text(over: Partial<Started> = {}): string {
  return startText({
    address: 'http://127.0.0.1:3000',
    projects,
    example: { projectId: 'prj_corner-shop', data: DATA },
    token: { kind: 'made', value: TOKEN },
    signInLink: 'http://127.0.0.1:3000/sign-in/local?code=abcdefghijklmnopqrstuv',
    worker: true,
    paused: false,
    launcher,
    model: null,
    modelHint: '',
    ...over,
  });
}

/** The arguments that a shell gives to the curl commands in the text, in order. */
function pastedCurls(text: string): string[][] {
  const script = text.slice(text.indexOf('\ncurl ')).match(/^curl (?:.*\\\n|.*'\{\n)*(?:[^\n]*\n)*?(?=\n)/gm) ?? [];
  return script.map((curl) => {
    const run = `curl() { printf '%s\\0' "$@"; }\n${curl}`;
    return execFileSync('sh', ['-c', run], { encoding: 'utf8' }).split('\0').slice(0, -1);
  });
}

describe('the text of the first start', () => {
  it('is five lines with the link first, then the token and what to paste', () => {
    expect(text()).toMatchInlineSnapshot(`
      "Causeway is ready: http://127.0.0.1:3000/sign-in/local?code=abcdefghijklmnopqrstuv
        Sign-in link (single use, valid 1 hour; new one: bin/causeway sign-in)
        Projects (set PROJECTS to change): local/corner-shop (demo), local/shop
        Model: none (search only). Set MODEL and OPENAI_API_KEY or OPENAI_BASE_URL to use one.
        API: http://127.0.0.1:3000/docs

      Your token, shown only now: cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

      Submit a report – replace "data" with your own:

      curl -i http://127.0.0.1:3000/api/v1/issues/ \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' \\
        -H 'Content-Type: application/json' \\
        -d '{
        "projectId": "local/corner-shop",
        "data": "TypeError: Cannot read '\\''percent'\\''\\n    at discountFor (src/coupons.js:14:11)"
      }'

      Watch it in the browser, or wait for its result with the investigation's id (inv_…)
      from the answer, and read it with the issue's (iss_…):

      curl 'http://127.0.0.1:3000/api/v1/investigations/INV_ID/?wait=60' \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'

      curl http://127.0.0.1:3000/api/v1/issues/ISS_ID/ \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'

      Or receive a webhook: add "callbackUrl": "http://127.0.0.1:4000/" to the
      report, and run this in another terminal:

      node -e 'require("http").createServer((request, answer) => {
        request.pipe(process.stdout); request.on("end", () => answer.end())
      }).listen(4000, "127.0.0.1")'
      "
    `);
  });

  it('has curls that a shell understands: the report of the demo, its end, the issue', () => {
    const [report = [], wait = [], issue = []] = pastedCurls(text());
    expect(report[1]).toBe('http://127.0.0.1:3000/api/v1/issues/');
    expect(report).toContain(`Authorization: Bearer ${TOKEN}`);
    expect(JSON.parse(report.at(-1) ?? '')).toEqual({ projectId: 'local/corner-shop', data: DATA });
    expect(wait[0]).toBe('http://127.0.0.1:3000/api/v1/investigations/INV_ID/?wait=60');
    expect(issue[0]).toBe('http://127.0.0.1:3000/api/v1/issues/ISS_ID/');
  });

  it('of projects that PROJECTS names submits words of their own about the first of them', () => {
    const [report = []] = pastedCurls(text({ example: null, projects: projects.slice(1) }));
    expect(JSON.parse(report.at(-1) ?? '')).toEqual({
      projectId: 'local/shop',
      data: expect.stringContaining('PASTE'),
    });
  });
});

describe('the text of a start', () => {
  it('is five lines once a token was used, and says how to make another', () => {
    const said = text({ token: { kind: 'used' } });
    expect(said).not.toMatch(/cwy_|curl/);
    expect(said.split('\n')).toHaveLength(6);
    expect(said).toContain('new token: bin/causeway token create --name laptop');
  });

  it('still has the curl while no token was used, with a place for one', () => {
    const said = text({ token: { kind: 'unused' } });
    expect(said).not.toContain('cwy_');
    expect(said).toContain('new token: bin/causeway token create --name laptop');
    expect(pastedCurls(said)).toHaveLength(3);
    for (const curl of pastedCurls(said)) expect(curl).toContain('Authorization: Bearer TOKEN');
  });

  it('names the first few of many projects', () => {
    const many = Array.from({ length: 8 }, (_, at) => ({ ...projects[1]!, id: `prj_${at}`, name: `local/p${at}` }));
    expect(text({ projects: many, example: null })).toContain(
      'local/p0, local/p1, local/p2, local/p3, local/p4 and 3 more\n',
    );
  });

  it('says on its first line that a MODEL is set without a key', () => {
    const [first, second] = text({ modelHint: 'MODEL is set without a key. Set OPENAI_API_KEY.' }).split('\n');
    expect(first).toBe('Model: none (search only). MODEL is set without a key. Set OPENAI_API_KEY.');
    expect(second).toMatch(/^Causeway is ready: http/);
  });

  it('without a worker says that reports wait, and until when', () => {
    expect(text({ worker: false })).toContain(
      'No worker in this process: reports are kept, and nothing runs or is sent until a\nstart without --no-worker (or, with PostgreSQL, a "causeway worker").\n',
    );
    expect(text()).not.toContain('--no-worker');
  });
});
