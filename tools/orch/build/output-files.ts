/** The files that modules become: written, or compared with those that are there. */
import { mkdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import type { Terminal } from '../../../daemons/run.ts'
import { replaceFile } from '../edited-files.ts'

/** Documents as one text. */
export function joined(texts: readonly string[]): string {
  return texts.join('---\n')
}

/** The files that modules become, by name; undefined if two become one. A path that ends in .yaml is a file of all. */
export async function filesOf(
  out: string,
  modules: readonly string[],
  texts: readonly string[],
): Promise<ReadonlyMap<string, string> | undefined> {
  if (/\.ya?ml$/.test(out)) return new Map([[out, joined(texts)]])
  const names = modules.map((one) =>
    join(out, `${basename(one).replace(/(\.config)?\.[cm]?[jt]s$/, '')}.yaml`),
  )
  const files = new Map(names.map((name, at) => [name, texts[at] ?? '']))
  return files.size === names.length ? files : undefined
}

/** Each file appears whole or not at all. */
export async function write(files: ReadonlyMap<string, string>): Promise<number> {
  for (const [file, text] of files) {
    await mkdir(dirname(resolve(file)), { recursive: true })
    await replaceFile(file, text)
  }
  return 0
}

/** Says which files are not what would be written. */
export async function compare(
  { printError }: Terminal,
  files: ReadonlyMap<string, string>,
): Promise<number> {
  let code = 0
  for (const [file, text] of files) {
    const there = await readFile(file, 'utf8').catch(() => undefined)
    if (there === text) continue
    code = 1
    const { createTwoFilesPatch } = await import('diff')
    printError(
      there === undefined
        ? `${file} is not there; orch build without --check writes it`
        : `${file} is not what its module gives; orch build without --check writes it\n${createTwoFilesPatch(file, file, there, text, 'as it is', 'as it would be').trimEnd()}`,
    )
  }
  return code
}
