// Secrets beside short names, and values on the line below their name.
import { afterAll, expect, it } from 'vitest';
import { createRedactor } from '../../src/redact/redactor.ts';

const redactor = createRedactor({ exactValues: () => [] });
afterAll(() => redactor[Symbol.asyncDispose]());

const SECRET = ['kT4', 'vQ9z', 'Lm2w', 'Xp7c'].join('');

it.each([
  `DB_PASS=${SECRET}`,
  'SMTP_PASS=winter',
  `PGPASS=${SECRET}`,
  `smtp: { dbPass: "${SECRET}" }`,
  `pass: ${SECRET}`,
  `{\\"smtp\\":{\\"pass\\":\\"${SECRET}\\"}}`,
  `password: |-\n  ${SECRET}\nuser: ci`,
  `db_pass: >\n      ${SECRET}`,
  `SecretString: ${SECRET}`,
  `ALTER ROLE app PASSWORD '${SECRET}'`,
  "CREATE USER app IDENTIFIED BY 'winter'",
  "SET PASSWORD FOR 'app' = PASSWORD('winter')",
  "create role app with login password 'winter'",
  `Authorization: SSWS ${SECRET}`,
  `https://${SECRET}@git.internal/a/b.git`,
])('the secret is hidden: %j', async (text) => {
  const shown = await redactor.redact(text);
  expect(shown).toContain('[redacted]');
  expect(shown).not.toMatch(new RegExp(`${SECRET}|winter`));
});
