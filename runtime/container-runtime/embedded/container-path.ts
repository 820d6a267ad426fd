/** Paths of containers at the level of namespaces: where they lead, there and on the machine. */
import { lstatSync, readlinkSync } from 'node:fs'
import { join, posix } from 'node:path'
import type { Mount } from '../contract/container.ts'

/** Folders of the machine that every container sees, as far as there are such. */
export const shared = [
  '/usr',
  '/etc',
  '/opt',
  '/nix',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
]

/** Links of every root, by what they lead to. */
export const rootLinks: ReadonlyMap<string, string> = new Map([['/var/run', '/run']])

/** More are no way, but a circle. */
const mostLinks = 40

/** A path in a container, which leads nowhere else. */
export function containerPath(path: string): string {
  const normal = posix.normalize(`/${path}`)
  return normal.length > 1 ? normal.replace(/\/$/, '') : normal
}

/** Mounts at the places to which their paths lead in a container, upper ones first. */
export function placeMounts(
  mounts: readonly Mount[],
): readonly (Mount & { readonly at: string })[] {
  const placed = mounts.map((mount) => ({ ...mount, at: containerPath(mount.containerPath) }))
  placed.sort((a, b) => depth(a.at) - depth(b.at))
  const over = new Set<string>()
  for (const mount of placed) {
    mount.at = placeOf(mount.at, over)
    over.add(mount.at)
  }
  return placed
}

/** Where a path stands once the links of the root and of the machine are followed, but for what is mounted over. */
function placeOf(path: string, over: ReadonlySet<string>): string {
  let done = ''
  let rest = path.split('/').slice(1)
  for (let links = 0; rest.length > 0; ) {
    const [name = '', ...after] = rest
    const here = `${done}/${name}`
    const target = over.has(here) ? undefined : linkAt(here, after.length > 0)
    if (target === undefined || links++ > mostLinks) {
      done = here
      rest = after
    } else {
      rest = [
        ...posix
          .resolve(done || '/', target)
          .split('/')
          .slice(1),
        ...after,
      ]
      done = ''
    }
  }
  return done
}

/** What a link leads to. One at the end of a path below a folder of the machine is itself mounted over. */
function linkAt(path: string, isOnTheWay: boolean): string | undefined {
  const own = rootLinks.get(path)
  if (own !== undefined) return own
  const isBelow = shared.some((folder) => path.startsWith(`${folder}/`))
  if (!shared.includes(path) && !(isBelow && isOnTheWay)) return undefined
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
  return isLink ? readlinkSync(path) : undefined
}

/** Where a path of a container stands on the machine. */
export function hostPathOf(path: string, mounts: readonly Mount[]): string {
  const at = containerPath(path)
  const above = mounts
    .map((mount) => ({ ...mount, at: containerPath(mount.containerPath) }))
    .filter((mount) => at === mount.at || at.startsWith(`${mount.at}/`))
    .sort((a, b) => b.at.length - a.at.length)[0]
  return above === undefined ? at : join(above.hostPath, at.slice(above.at.length))
}

function depth(path: string): number {
  return path.split('/').length
}
