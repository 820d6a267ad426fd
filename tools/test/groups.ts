import { dirname, relative, sep } from 'node:path'

/** So many files share a process at most. */
const most = 8

/**
 * What a test says that has to do with its process: with its environment, its end, what it uses, what it prints. It has one of its
 * own. Which program runs, whose it is and programs that it starts are no matter of others.
 */
const ofItsOwn =
  /(?<!\.)\bprocess\.(?!(?:arch|env|execPath|getuid|pid|platform|versions?)\b)|(?:delete |assign\()process\.env|process\.env\S* = |\bglobalThis\b|node:(?:inspector|v8|worker_threads)/

/** Files of whole programs, which wait most of their time, beside each other; and those that make namespaces, tables and mounts of the machine. */
const alone = /^(?:e2e|runtime\/(?:agent|container-runtime|service-proxy))\b/

/** The files of `folder` in the order they came in, those together that may run in one process. */
export function groupsOf(
  folder: string,
  files: readonly string[],
  textOf: (file: string) => string,
): readonly (readonly string[])[] {
  const groups: string[][] = []
  const open = new Map<string, string[]>()
  for (const file of files) {
    const path = relative(folder, file)
    const [top = '', second = ''] = dirname(path).split(sep)
    const place = `${top}/${second}`
    const joins = !alone.test(path) && !ofItsOwn.test(textOf(file))
    const group = joins ? open.get(place) : undefined
    if (group !== undefined && group.length < most) {
      group.push(file)
      continue
    }
    const one = [file]
    groups.push(one)
    if (joins) open.set(place, one)
  }
  return groups
}
