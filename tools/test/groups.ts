import { relative, sep } from 'node:path'

/** So many files share a process at most. */
const most = 8

/** Folders of tests that share processes: what a server loads takes a processor half of a second, and more until it is warm. */
const shared = ['codegen', 'generated', 'runtime']

/** What a test says that has to do with its process or starts others: it has one of its own. */
const ofItsOwn = /\bprocess\.|\bglobalThis\b|node:(child_process|v8|worker_threads)/

/** The files of `folder` in the order they came in, those together that may run in one process. */
export function groupsOf(
  folder: string,
  files: readonly string[],
  textOf: (file: string) => string,
): readonly (readonly string[])[] {
  const groups: string[][] = []
  const open = new Map<string, string[]>()
  for (const file of files) {
    const [top = '', second = ''] = relative(folder, file).split(sep)
    const place = `${top}/${second}`
    const joins = shared.includes(top) && !ofItsOwn.test(textOf(file))
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
