// What a report says of versions, in the words of reports, gives a good and a bad one.
import { describe, expect, it } from 'vitest';
import { findNamedRange } from '../../src/triage/named-range.ts';
import { readReleaseVersion } from '../../src/triage/version-range.ts';

const NAMES = new Set(['shop']);

function readRange(report: string): readonly (string | null)[] {
  const { good, bad } = findNamedRange(report, NAMES);
  return [good?.version ?? null, bad?.version ?? null];
}

describe('a good and a bad version', () => {
  it.each([
    'It started with 8.4.0, does not happen with 8.3.3.',
    'Since I upgraded from 8.3.3 to 8.4.0 totals are wrong.',
    'I just updated Shop 8.3.3 to 8.4.0 and got this failure:',
    'Upgrading 8.3.3>8.4.0 makes totals wrong.',
    'Last good: 8.3.3\nFirst bad: 8.4.0',
    'last known working version: 8.3.3\n\nShop version: 8.4.0',
    'Worked in 8.3.3, broken in 8.4.0',
    'Totals fail with 8.4.0 (works with 8.3.3)',
    'Introduced in Shop v8.4.0. In v8.3.3, this is fine.',
    '- Shop Version: v8.4.0 (The issue does not exist on v8.3.3)',
    'Until `v8.3.3`, this was working as expected.\n\nVersion: 8.4.0',
    'Using version 8.3.3 of shop, this works fine. I recently installed shop version 8.4.0.',
    'Regression in 8.4.0. Downgrading back to 8.3.3 resolves it.',
    '1. Switch to 8.3.3 → error disappears\n\nIt is a regression in 8.4.0',
    'This issue exists for shop 8.4.0 but not for shop 8.3.3',
    'The code stopped working after release 8.3.3. Now I use version 8.4.0.',
    'Seit dem Update von 8.3.3 auf 8.4.0 stimmt die Summe nicht.',
    'Mit 8.3.3 lief es noch, seit 8.4.0 nicht mehr.',
    'Depuis la mise à jour de 8.3.3 à 8.4.0 la somme est fausse.',
    'Desde que actualicé de 8.3.3 a 8.4.0 la suma está mal.',
    '从 8.3.3 升级到 8.4.0 后合计错误。',
    '8.3.3 版本正常，8.4.0 版本报错',
    '8.3.3 及其以下不会报错，8.4.0 以上会报错',
    "The option doesn't work in version > 8.3.3.\n\nVersion: 8.4.0",
    'Since I upgraded to 8.4.0 from 8.3.3 it is broken.',
    'It worked before, since I upgraded to v8.4.0 (from v8.3.3) it breaks.',
    'Upgraded shop to `8.4.0` from `8.3.3`, now totals are wrong.',
    'With version 8.3.3 the following worked:\n```\ntotal()\n```\nWith version 8.4.0 the code from above crashes with:\n\nThe code working with 8.3.3 should also work with 8.4.0.',
  ])('%s', (report) => {
    expect(readRange(`Totals\n\n${report}\n`)).toEqual(['8.3.3', '8.4.0']);
  });
});

describe('only a bad one', () => {
  it.each([
    'Broken since 8.4.0.',
    'Fails after upgrading shop to v8.4.0!',
    'It worked before 8.4.0.',
    'After updating to `8.4.0`, totals are wrong.',
    'The problem started with version 8.4.0.',
    'Totals appear to be broken starting v8.4.0',
    'Regression: 8.4.0 - totals are wrong',
    'The code below stopped working at 8.4.0 version.',
    'Nach dem Update auf 8.4.0 stimmt die Summe nicht.',
    'Totals are wrong depuis la version 8.4.0',
    '更新到 8.4.0 之后合计错误',
  ])('%s', (report) => {
    expect(readRange(`Totals\n\n${report}\n`)).toEqual([null, '8.4.0']);
  });
});

describe('neither', () => {
  it.each([
    'Shop version: 8.4.0',
    'I have not tested since 8.4.0.',
    "We haven't upgraded since 8.4.0.",
    'Fixed in 8.4.0? I see it on 8.3.3.',
    'I can reproduce it in 8.4.0.',
    'It fails since I updated numpy from 1.23.0 to 1.24.0.',
    'The field is not required since 8.0.',
    'As implemented since 8.2 the sum is rounded.',
    'It works with Python 3.8.',
    'Shop has a total. Version 8.4.0',
    'I have been able to test shop 8.4.0 which has totals.',
    '```\nsince 8.4.0\n```',
  ])('%s', (report) => {
    expect(readRange(`Totals\n\n${report}\n`)).toEqual([null, null]);
  });
});

describe('the version that a commit is the release of, by its subject', () => {
  it.each([
    ['Bump version: 1.2.1 → 1.2.2', '1.2.2'],
    ['Release 1.2.2', '1.2.2'],
    ['v1.2.2', '1.2.2'],
    ['1.2.2', '1.2.2'],
    ['chore(release): 1.2.2', '1.2.2'],
    ['chore: release v1.2.2', '1.2.2'],
    ['[maven-release-plugin] prepare release shop-1.2.2', '1.2.2'],
    ['Bump shop from 1.2.1 to 1.2.2', '1.2.2'],
    ['Set version to 1.2.2', '1.2.2'],
    ['Bump lodash from 4.17.1 to 4.17.2', ''],
    ['chore(deps): update dependency tea to v1.2.2', ''],
    ['chore(deps): update plugin com.tea.plugin-publish to v1.2.2', ''],
    ['Bump version to 1.2.3-SNAPSHOT', ''],
    ['Back to 1.3.0.dev0', ''],
    ['Fix totals of 1.2.2', ''],
    ['Bump version to 1.2.2+dev', ''],
    ['[maven-release-plugin] prepare release shop-core-1.2.2', '1.2.2'],
    ['Release 1.2.2. (#4362)', '1.2.2'],
    ['other-1.2.2', ''],
    ['fix: version 1.2 of schema is not read', ''],
    ['Version check for Python 3.12.1', ''],
    ['Update to version 5.1.0 of kombu', ''],
    ['Prepare for 2.0.0 (after 1.9.0)', ''],
    ['Release version 1.2.2.', '1.2.2'],
    ['Release 1.2.2 (#123)', '1.2.2'],
    ['Prepare release of shop v1.2.2', '1.2.2'],
    ['Bump shop to 1.2.2', '1.2.2'],
  ])('%s', (subject, version) => {
    expect(readReleaseVersion(subject, NAMES)).toBe(version);
  });
});
