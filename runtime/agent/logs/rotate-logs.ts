/** Keeps the logs of containers short: a long one is put aside, and the oldest go. */
import { createWriteStream } from 'node:fs'
import { lstat, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { type ContainerRuntime, openLogFile } from '../../container-runtime/container-runtime.ts'
import { type Clock, pause } from '../../kernel/async/clock.ts'
import type { Log } from '../../observe/observe.ts'

export interface RotationOptions {
  readonly runtime: Pick<ContainerRuntime, 'listContainers' | 'reopenContainerLog'>
  readonly mostBytes: number
  /** How many files a container has at most, with the one that is written. */
  readonly mostFiles: number
  readonly clock: Clock
  readonly log: Log
}

const everyMs = 10_000

/** Looks at the logs of all containers that run, again and again, until `signal` aborts. */
export async function keepLogsShort(options: RotationOptions, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await rotateLogs(options)
    await pause(options.clock, everyMs, signal)
  }
}

/** Looks once. */
export async function rotateLogs(options: RotationOptions): Promise<void> {
  const { runtime, mostBytes, log } = options
  const containers = await runtime.listContainers().catch(() => [])
  for (const { id, state, logFile } of containers) {
    if (state !== 'running' || logFile === '') continue
    try {
      const found = await lstat(logFile)
      if (found.isFile() && found.size > mostBytes) await rotate(id, logFile, options)
    } catch (error) {
      log.error('a log cannot be put aside', { file: logFile }, error)
    }
  }
}

async function rotate(
  id: string,
  file: string,
  { runtime, mostFiles, clock }: RotationOptions,
): Promise<void> {
  const aside = await asideOf(file)
  const kept = Math.max(0, mostFiles - 2)
  for (const old of aside.slice(0, Math.max(0, aside.length - kept))) await rm(old, { force: true })
  for (const each of aside.slice(-kept || aside.length)) {
    if (each.endsWith('.gz')) continue
    // A link that took the place of a log goes unread.
    if ((await lstat(each)).isFile()) await compress(each)
    else await rm(each)
  }
  const at = new Date(clock.now())
    .toISOString()
    .replace(/\..*|[-:]/g, '')
    .replace('T', '-')
  const target = `${file}.${at}`
  await rename(file, target)
  try {
    await runtime.reopenContainerLog(id)
  } catch (error) {
    await rename(target, file)
    throw error
  }
}

/** The files that were put aside, the oldest first; what was left half done goes. */
async function asideOf(file: string): Promise<readonly string[]> {
  const [folder, name] = [dirname(file), basename(file)]
  const found = (await readdir(folder)).filter((one) => one.startsWith(`${name}.`)).sort()
  for (const one of found.filter((each) => each.endsWith('.tmp'))) await rm(join(folder, one))
  return found.filter((one) => !one.endsWith('.tmp')).map((one) => join(folder, one))
}

async function compress(file: string): Promise<void> {
  const target = `${file}.gz`
  const plain = await openLogFile(file)
  const packed = createWriteStream(`${target}.tmp`, { flags: 'wx', mode: 0o640 })
  await pipeline(plain.createReadStream(), createGzip(), packed)
  await rename(`${target}.tmp`, target)
  await rm(file)
}
