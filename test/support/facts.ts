import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../codegen/main.ts'

/** The rows of a table of facts in test/golden: cells between tabs, without the heading. */
export function factsOf(name: string): readonly (readonly string[])[] {
  return readFileSync(join(packageRoot, 'test/golden', name), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split('\t'))
}
