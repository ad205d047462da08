// What the lines of logs are asked by: one index for all tables that a line is held against, so that it is looked through once.
import { PatternIndex } from './asked-patterns.ts';

export const LINE_INDEX = new PatternIndex();
