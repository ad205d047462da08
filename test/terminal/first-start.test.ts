import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { startText } from '../../src/terminal/first-start.ts';

const TOKEN = `cwy_${'a'.repeat(36)}`;
const projects = [
  {
    id: 'prj_3kTMd0000000000000000',
    name: 'local/shop',
    source: { kind: 'path', path: '/home/ada/shop' },
    createdAt: '',
  },
] as const;
const first = startText({ address: 'http://127.0.0.1:3000', projects, token: TOKEN });

/** The arguments that a shell gives to the curl commands in the text, in order. */
function pastedCurls(text: string): string[][] {
  const script = text.slice(text.indexOf('\ncurl ')).match(/^curl (?:.*\\\n|.*'\{\n)*(?:[^\n]*\n)*?(?=\n)/gm) ?? [];
  return script.map((curl) => {
    const run = `curl() { printf '%s\\0' "$@"; }\n${curl}`;
    return execFileSync('sh', ['-c', run], { encoding: 'utf8' }).split('\0').slice(0, -1);
  });
}

describe('the text of the first start', () => {
  it('reads well in 80 columns', () => {
    expect(first).toMatchInlineSnapshot(`
      "Causeway is ready: http://127.0.0.1:3000
        API and examples: http://127.0.0.1:3000/docs
        Local mode: this machine only. Ctrl-C stops it.

      Projects (PROJECTS names others):
        local/shop  prj_3kTMd0000000000000000

      Your token, shown this once (only a hash of it is kept):
        cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa

      Hand in a report. Paste this; put your own problem in "data":

      curl -i http://127.0.0.1:3000/api/v1/issues/ \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' \\
        -H 'Content-Type: application/json' \\
        -d '{
        "projectId": "prj_3kTMd0000000000000000",
        "data": "TypeError: cart is undefined\\n    at checkout (src/index.js:10:5)"
      }'

      Follow it. The answer names the investigation (inv_...); put it in here, and
      this waits for its end and names the issue (iss_...):

      curl 'http://127.0.0.1:3000/api/v1/investigations/INV_ID/?wait=60' \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'

      curl http://127.0.0.1:3000/api/v1/issues/ISS_ID/ \\
        -H 'Authorization: Bearer cwy_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'

      Or be told: run this in another terminal, and add to the body of the report
        "callbackUrl": "http://127.0.0.1:4000/"

      node -e 'require("http").createServer((request, answer) => {
        request.pipe(process.stdout); request.on("end", () => answer.end())
      }).listen(4000, "127.0.0.1")'
      "
    `);
    expect(first.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('holds curls that a shell understands: the report, its end, the issue', () => {
    const [report = [], wait = [], issue = []] = pastedCurls(first);
    expect(report[1]).toBe('http://127.0.0.1:3000/api/v1/issues/');
    expect(report).toContain(`Authorization: Bearer ${TOKEN}`);
    expect(JSON.parse(report.at(-1) ?? '')).toEqual({
      projectId: 'prj_3kTMd0000000000000000',
      data: 'TypeError: cart is undefined\n    at checkout (src/index.js:10:5)',
    });
    expect(wait[0]).toBe('http://127.0.0.1:3000/api/v1/investigations/INV_ID/?wait=60');
    expect(issue[0]).toBe('http://127.0.0.1:3000/api/v1/issues/ISS_ID/');
  });

  it('without a project says how to name one', () => {
    const text = startText({ address: 'http://127.0.0.1:3000', projects: [], token: TOKEN });
    expect(text).toContain('Projects: none yet. Start in a git repository, or name some:\n  PROJECTS=');
  });
});

describe('the text of a later start', () => {
  it('shows no token, and says how to make one', () => {
    const text = startText({ address: 'http://127.0.0.1:3000', projects, token: null });
    expect(text).not.toMatch(/cwy_|curl/);
    expect(text).toContain('bin/causeway token create --name laptop');
  });
});
