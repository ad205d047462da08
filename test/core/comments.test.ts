// Which lines are comments, by the language of the file.
import { expect, it } from 'vitest';
import { isCommentLine } from '../../src/core/source/comments.ts';

it.each([
  ['a.py', '  # if the cart is empty', true],
  ['a.py', '    *args,', false],
  ['a.py', '// 2', false],
  ['a.ts', '// a', true],
  ['a.ts', ' * a', true],
  ['a.ts', '  #count = 0;', false],
  ['a.rs', '#[derive(Debug)]', false],
  ['a.c', '#include <a.h>', false],
  ['a.php', '# a', true],
  ['a.php', '#[Route]', false],
  ['a.vue', '<!-- a -->', true],
  ['run', '#!/bin/sh', false],
])('%s: %s', (path, line, isComment) => {
  expect(isCommentLine(path, line)).toBe(isComment);
});
