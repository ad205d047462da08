// What we did ourselves is known by our bot and by our App.
import { describe, expect, it } from 'vitest';
import { isOurs } from '../../../src/github/payloads.ts';

const US = { appId: 1, botId: 2 };

describe('a doing', () => {
  it.each([
    ['of our bot', { user: { id: 2, login: 'causeway[bot]' } }],
    ['written by our bot', { user: { id: 2, login: 'causeway[bot]' } }],
    ['through our App', { user: { id: 7, login: 'ada' }, performed_via_github_app: { id: 1 } }],
  ])('%s is ours', (_, doing) => {
    expect(isOurs(US, doing)).toBe(true);
    expect(isOurs(US, { user: { id: 7, login: 'ada' } }, doing)).toBe(true);
  });

  it.each([
    ['of a person', { user: { id: 7, login: 'ada' }, performed_via_github_app: null }],
    ['of one who has our name and not our number', { user: { id: 8, login: 'causeway[bot]' } }],
    ['through another App, whose number is that of our bot', { performed_via_github_app: { id: 2 } }],
    ['of somebody deleted', { user: null }],
  ])('%s is not', (_, doing) => {
    expect(isOurs(US, doing)).toBe(false);
  });
});
