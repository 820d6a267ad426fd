import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../codegen/main.ts'
import { runInit } from '../../tools/orch/init.ts'
import { tempDirectory } from './temp.ts'

/** What `orch init` gave, and what it said. */
export interface Made {
  readonly folder: string
  readonly code: number
  readonly text: string
}

/** Runs `orch init` with a folder of its own and further arguments. */
export async function initRepository(...args: readonly string[]): Promise<Made> {
  const folder = join(tempDirectory(), 'website-operator')
  const lines: string[] = []
  const note = (line: string) => void lines.push(line)
  const terminal = {
    args: [folder, ...args],
    environment: {},
    width: 100,
    print: note,
    printError: note,
  }
  return { folder, code: await runInit(terminal), text: lines.join('\n') }
}

/** Puts the packages of this checkout where `npm install` would put them. */
export function installPackages(folder: string): void {
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, '@types'), { recursive: true })
  symlinkSync(packageRoot, join(modules, 'orch'))
  const installed = { typescript: 'typescript-7', '@types/node': '@types/node' }
  for (const [name, here] of Object.entries(installed)) {
    symlinkSync(join(packageRoot, 'node_modules', here), join(modules, name))
  }
}
