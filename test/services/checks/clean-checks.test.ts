// An address keeps what shows people the way, and nothing that lets somebody in.
import { expect, it } from 'vitest';
import { stripAddress } from '../../../src/services/checks/check-texts.ts';

it.each([
  ['https://github.com/octo/shop/actions/runs/1/job/2', 'https://github.com/octo/shop/actions/runs/1/job/2'],
  ['https://github.com/octo/shop/runs/1?check_suite_focus=true', 'https://github.com/octo/shop/runs/1'],
  ['https://robot:pass@ci.test:8443/run/7?key=pass#pass', 'https://ci.test:8443/run/7'],
  ['https://pass@ci.test/run/7', 'https://ci.test/run/7'],
  ['https://ci.test/run/7?', 'https://ci.test/run/7'],
  ['https:ci.test/\nrun@7', 'https://ci.test/run@7'],
  ['javascript:alert(1)', ''],
  ['data:text/plain,pass', ''],
  ['not an address', ''],
  ['', ''],
])('%s is kept as "%s"', (url, kept) => {
  expect(stripAddress(url)).toBe(kept);
});
