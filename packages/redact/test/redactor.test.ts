import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ANY_CHARACTER } from '../../../test/support/any-character.ts';
import { createReading, decodeEscapes, removeNoise } from '../src/readings.ts';
import { createRedactor } from '../src/redactor.ts';
import { DISGUISES, noise, PLANTED, STAMP } from './planted.ts';

const redactor = createRedactor({ exactValues: () => [] });
afterAll(() => redactor[Symbol.asyncDispose]());

describe.each(DISGUISES)('a secret disguised by: $name', (disguise) => {
  it.each(PLANTED)('$kind is cut out and nothing else', async ({ before, secret, after }) => {
    const [head, tail] = [disguise.around(before), disguise.around(after)];
    expect(await redactor.redact(head + disguise.secret(secret) + tail)).toBe(`${head}[redacted]${tail}`);
  });
});

describe('base64', () => {
  it.each(PLANTED)('of a line with a $kind is cut out', async ({ before, secret, after }) => {
    const encoded = Buffer.from(before + secret + after).toString('base64');
    expect(await redactor.redact(`data: ${encoded} end`)).toBe('data: [redacted] end');
  });

  it.each([
    ['wrapped at 76', (text: string) => text.replace(/.{76}/g, '$&\n')],
    ['wrapped and stamped', (text: string) => text.replace(/.{76}/g, `$&\n${STAMP}`)],
    ['for URLs', (text: string) => text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')],
    ['twice', (text: string) => Buffer.from(text).toString('base64')],
  ])('%s of a file with a secret is cut out whole', async (_name, change) => {
    const file = `HOST=example.test\nLIMIT=10\nDB_PASSWORD=${noise(20, 90)}\nMOTD=~~~???>>>${'welcome '.repeat(10)}\n`;
    expect(await redactor.redact(`before\n${change(Buffer.from(file).toString('base64'))}\nafter\n`)).toBe(
      'before\n[redacted]\nafter\n',
    );
  });
});

describe('a private key', () => {
  const label = ['PRIVATE', 'KEY'].join(' ');
  const lines = Array.from({ length: 10 }, (_, i) => noise(64, i + 200));
  const head = `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${noise(32, 210)}`;

  it('whose end was cut off is cut out to its last line', async () => {
    expect(await redactor.redact(`x\n-----BEGIN ${label}-----\n${lines.join('\n')}\nnpm test\n`)).toBe(
      'x\n[redacted]\nnpm test\n',
    );
  });

  it('whose beginning was cut off is cut out from its first line', async () => {
    expect(await redactor.redact(`npm test\n${lines.join('\n')}\n-----END ${label}-----\ny`)).toBe(
      'npm test\n[redacted]\ny',
    );
  });

  it('without markers is known by how it begins', async () => {
    expect(await redactor.redact(`KEY=${head}${lines.join('')}\nnext`)).toBe('KEY=[redacted]\nnext');
  });

  it('stays hidden with a stamp inside each line prefix and a diff sign', async () => {
    const key = [`-----BEGIN ${label}-----`, head, ...lines, `-----END ${label}-----`];
    expect(await redactor.redact(`diff\n${key.map((line) => `${STAMP}+${line}`).join('\n')}\nend`)).toBe(
      `diff\n${STAMP}+[redacted]\nend`,
    );
  });
});

describe('doing it again', () => {
  const pieces = PLANTED.flatMap((plant) => [plant.before, plant.secret, plant.after]);
  const disguised = DISGUISES.flatMap((disguise) => PLANTED.map((plant) => disguise.secret(plant.secret)));
  const text = fc
    .array(
      fc.oneof(
        fc.constantFrom(...pieces),
        fc.constantFrom(...disguised),
        fc.string({ unit: ANY_CHARACTER, maxLength: 20 }),
        fc.constantFrom(' ', '\n', '"', '[redacted]', STAMP),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(''));

  it('changes nothing, for any text', async () => {
    await fc.assert(
      fc.asyncProperty(text, async (input) => {
        const once = await redactor.redact(input);
        expect(await redactor.redact(once)).toBe(once);
      }),
      { numRuns: 150 },
    );
  });

  it('in the thread gives what it gives in process', async () => {
    await using threaded = createRedactor({ exactValues: () => ['own-secret-1'], limits: { inline: 0 } });
    await using inline = createRedactor({
      exactValues: () => ['own-secret-1'],
      limits: { inline: Number.POSITIVE_INFINITY },
    });
    await fc.assert(
      fc.asyncProperty(text, async (input) => {
        expect(await threaded.redact(input)).toBe(await inline.redact(input));
      }),
      { numRuns: 25 },
    );
  });
});

it('text around a secret survives byte for byte, but for a word that begins the next line', async () => {
  const benign = fc.string({
    unit: fc.constantFrom(...'ab \n\t"\'é😀\x1b[0m\u200b%20\\n{}:;.,'.split('')),
    maxLength: 60,
  });
  const onTheNextLine = fc.tuple(fc.constantFrom('\n', '\t\n  ', '\\\n', '\\n'), benign).map((parts) => parts.join(''));
  const token = ['gh', 'p_', noise(36, 300)].join('');
  await fc.assert(
    fc.asyncProperty(benign, fc.oneof(benign, onTheNextLine), async (before, after) => {
      const shown = await redactor.redact(`${before} ${token} ${after}`);
      const kept = shown.slice(`${before} [redacted]`.length);
      expect(shown).toBe(`${before} [redacted]${kept}`);
      const gone = ` ${after}`.slice(0, -kept.length || undefined);
      expect(`${gone}${kept}`).toBe(` ${after}`);
      // It may be the wrapped rest of the token, which goes as well. Escaped line breaks count; sequences show nothing.
      expect(removeNoise(decodeEscapes(createReading(gone))).text).toMatch(/^(?:[^\S\n]*\\?[^\S\n]*\n[^\S\n]*\S+)?$/);
    }),
    { numRuns: 120 },
  );
});

it('a secret next to an escape sequence is found, with or without a letter behind it', async () => {
  const key = ['s', 'k-', noise(40, 301)].join('');
  expect(await redactor.redact(`task\x1b[1m${key}\x1b[0m`)).toBe('task\x1b[1m[redacted]\x1b[0m');
});

it.each(['\n\n', '\r\n\r\n', '\n  \n'])(
  'what follows a secret after an empty line (%j) is not taken for its rest',
  async (gap) => {
    const text = `Authorization: Bearer ${noise(40, 304)}${gap}${noise(16, 305)} id=4f5e6d7c8b9a`;
    expect(await redactor.redact(text)).toBe(`Authorization: Bearer [redacted]${gap}${noise(16, 305)} id=4f5e6d7c8b9a`);
  },
);

it('a comment that would switch a rule set off switches nothing off', async () => {
  const token = ['gl', 'pat-', noise(20, 302)].join('');
  expect(await redactor.redact(`/* secretlint-disable */ ${token}`)).toBe('/* secretlint-disable */ [redacted]');
});

describe('a value as JSON', () => {
  const token = ['gh', 'p_', noise(36, 303)].join('');

  it('keeps its shape; only strings that hold a secret change', async () => {
    const value = { a: `x ${token}`, b: [1, null, true, 'plain', { c: [`${token}!`, ''] }], [token]: 'key' };
    expect(await redactor.redactJson(value)).toEqual({
      a: 'x [redacted]',
      b: [1, null, true, 'plain', { c: ['[redacted]!', ''] }],
      [token]: 'key',
    });
  });

  it('hides a private key whose lines are strings of their own', async () => {
    const label = ['PRIVATE', 'KEY'].join(' ');
    const lines = [`-----BEGIN ${label}-----`, noise(64, 1), noise(64, 2), `-----END ${label}-----`];
    const value = lines.map((newCode, i) => ({ lineNumber: i + 1, oldCode: '', newCode }));
    const shown = await redactor.redactJson([{ newCode: 'first' }, ...value, { newCode: 'last' }]);
    expect(JSON.stringify(shown)).not.toMatch(/[A-Za-z0-9]{20}/);
    expect([shown[0], shown.at(-1)]).toEqual([{ newCode: 'first' }, { newCode: 'last' }]);
  });

  it('without secrets comes back equal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
        expect(await redactor.redactJson(value)).toEqual(value);
      }),
    );
  });
});

it('a text full of markers that end a key is looked at in one pass', async () => {
  await using quick = createRedactor({ exactValues: () => [] });
  const marker = `-----END ${'PRIVATE'} KEY-----`;
  // Each was once searched back from to the start of the text: 80,000 of them took a minute, and the text was withheld.
  expect(await quick.redact(`${marker} `.repeat(80_000))).not.toContain('withheld');
});

// Short names, and values on the line below their name.
const SHORT = ['kT4', 'vQ9z', 'Lm2w', 'Xp7c'].join('');

it.each([
  `DB_PASS=${SHORT}`,
  'SMTP_PASS=winter',
  `PGPASS=${SHORT}`,
  `smtp: { dbPass: "${SHORT}" }`,
  `pass: ${SHORT}`,
  `{\\"smtp\\":{\\"pass\\":\\"${SHORT}\\"}}`,
  `password: |-\n  ${SHORT}\nuser: ci`,
  `db_pass: >\n      ${SHORT}`,
  `SecretString: ${SHORT}`,
  `ALTER ROLE app PASSWORD '${SHORT}'`,
  "CREATE USER app IDENTIFIED BY 'winter'",
  "SET PASSWORD FOR 'app' = PASSWORD('winter')",
  "create role app with login password 'winter'",
  `Authorization: SSWS ${SHORT}`,
  `https://${SHORT}@git.internal/a/b.git`,
])('the secret is hidden: %j', async (text) => {
  const shown = await redactor.redact(text);
  expect(shown).toContain('[redacted]');
  expect(shown).not.toMatch(new RegExp(`${SHORT}|winter`));
});

it('leaves no performance marks of secretlint behind, which would add up', async () => {
  const before = performance.getEntriesByType('mark').length;
  for (let text = 0; text < 5; text++) await redactor.redact(`text ${text}`);
  expect(performance.getEntriesByType('mark').length).toBe(before);
});
