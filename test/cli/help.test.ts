import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../src/cli/command.ts';
import { helpText } from '../../src/cli/help.ts';

describe('a help text', () => {
  it.each(TOPICS)('on %s fits in 80 columns, shows how it is written and an example', (topic) => {
    const text = helpText(topic);
    expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(text).toMatch(/\nUsage: causeway/);
    expect(text).toMatch(/\n\n(Examples?|Try it):\n\n {2}(?=\S).*causeway/);
    expect(text.endsWith('\n')).toBe(true);
  });

  it('on causeway names every command', () => {
    for (const topic of TOPICS) expect(helpText('causeway')).toContain(topic);
  });
});
