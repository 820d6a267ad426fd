/** The root folder of a container at the level of namespaces: the machine's programs, read-only, and what is mounted over them. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Mount } from '../contract/container.ts'
import { RuntimeError } from '../contract/runtime-error.ts'
import { containerPath, placeMounts, rootLinks, shared } from './container-path.ts'

const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty']
const own = [
  'dev/pts',
  'dev/shm',
  'proc',
  'tmp',
  'var/tmp',
  'var/log',
  'var/lib',
  'run',
  'root',
  'mnt',
]

/** Where a root is made. */
export interface RootFolders {
  /** Becomes `/` of the container. */
  readonly root: string
  /** For what is written below folders of the machine. */
  readonly layers: string
}

/** Makes the root, and gives the table by which `mount -a` completes it. */
export function makeRoot(
  { root, layers }: RootFolders,
  mounts: readonly Mount[],
  workingDirectory: string,
  { readonlyRoot, isOwn = false }: { readonly readonlyRoot: boolean; readonly isOwn?: boolean },
): string {
  const rows = [row(root, root, 'none', 'bind')]
  for (const folder of own) mkdirSync(join(root, folder), { recursive: true, mode: 0o755 })
  const placed = placeMounts(mounts)
  const wanted = placed.map(({ at }) => at)
  for (const folder of shared) rows.push(...sharedRows(folder, wanted, { root, layers }, isOwn))
  rows.push(row('proc', join(root, 'proc'), 'proc', 'nosuid,nodev,noexec'))
  rows.push(row('tmpfs', join(root, 'dev/shm'), 'tmpfs', 'nosuid,nodev,mode=1777'))
  rows.push(row('devpts', join(root, 'dev/pts'), 'devpts', 'newinstance,ptmxmode=0666,mode=620'))
  symlinkSync('pts/ptmx', join(root, 'dev/ptmx'))
  for (const name of devices) {
    if (!existsSync(`/dev/${name}`)) continue
    writeFileSync(join(root, 'dev', name), '')
    rows.push(row(`/dev/${name}`, join(root, 'dev', name), 'none', 'bind'))
  }
  for (const [name, target] of [
    ['fd', '/proc/self/fd'],
    ['stdin', 'fd/0'],
    ['stdout', 'fd/1'],
    ['stderr', 'fd/2'],
  ] as const) {
    symlinkSync(target, join(root, 'dev', name))
  }
  for (const [link, target] of rootLinks) symlinkSync(target, join(root, link))
  const seen: string[] = []
  for (const { hostPath, at, readonly } of placed) {
    if (!seen.some((above) => at.startsWith(`${above}/`))) {
      makeTarget(targetOf(at, { root, layers }), statOf(hostPath).isDirectory())
    }
    seen.push(at)
    rows.push(row(hostPath, join(root, at), 'none', `rbind${readonly ? ',ro' : ''}`))
  }
  const folder = containerPath(workingDirectory)
  if (!isOfMachine(folder) && !seen.some((above) => `${folder}/`.startsWith(`${above}/`))) {
    mkdirSync(join(root, folder), { recursive: true })
  }
  if (readonlyRoot) rows.push(row(root, root, 'none', 'remount,bind,ro'))
  return `${rows.join('\n')}\n`
}

/** A folder of the machine, read-only; with a layer over it if the container may change it, or something is to be mounted where it has nothing. */
function sharedRows(
  folder: string,
  wanted: readonly string[],
  { root, layers }: RootFolders,
  isOwn: boolean,
): readonly string[] {
  const stat = lstatSync(folder, { throwIfNoEntry: false })
  if (stat?.isSymbolicLink()) {
    symlinkSync(readlinkSync(folder), join(root, folder))
    return []
  }
  if (!stat?.isDirectory()) return []
  mkdirSync(join(root, folder))
  if (!isOwn && !wanted.some((at) => needsLayer(at, folder))) {
    return [row(folder, join(root, folder), 'none', 'bind,ro')]
  }
  const [upper, work] = ['upper', 'work'].map((name) => join(layers, folder, name)) as [
    string,
    string,
  ]
  for (const each of [upper, work]) mkdirSync(each, { recursive: true })
  const options = `lowerdir=${folder},upperdir=${upper},workdir=${work}`
  return [row('overlay', join(root, folder), 'overlay', options)]
}

/** Where there is nothing to mount over, or a link, which would lead out of the root while it is made. */
function needsLayer(at: string, folder: string): boolean {
  if (!at.startsWith(`${folder}/`)) return false
  return lstatSync(at, { throwIfNoEntry: false })?.isSymbolicLink() ?? true
}

function isOfMachine(at: string): boolean {
  return shared.some((folder) => `${at}/`.startsWith(`${folder}/`)) && existsSync(at)
}

/** The place at which the target of a mount is made. */
function targetOf(at: string, { root, layers }: RootFolders): string | undefined {
  const folder = shared.find((each) => at.startsWith(`${each}/`))
  if (folder === undefined) return join(root, at)
  if (!needsLayer(at, folder)) return undefined
  return join(layers, folder, 'upper', at.slice(folder.length))
}

function makeTarget(target: string | undefined, isFolder: boolean): void {
  if (target === undefined) return
  mkdirSync(isFolder ? target : dirname(target), { recursive: true })
  if (!isFolder) writeFileSync(target, '')
}

function statOf(hostPath: string) {
  const stat = statSync(hostPath, { throwIfNoEntry: false })
  if (stat === undefined) {
    throw new RuntimeError('InvalidArgument', `${hostPath}, which is to be mounted, is not there`)
  }
  return stat
}

/** A line of the table, in which blanks are written as numbers. */
function row(source: string, target: string, type: string, options: string): string {
  const written = (text: string) =>
    text.replace(/[\s\\]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
  return `${[source, target, type, options].map(written).join(' ')} 0 0`
}
