/** Files in folders that containers may have been given: what stands there under a name may be a link by now. */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const reading = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
const adding = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW

/** Opens a log to read it. Neither it nor the two folders above it, those of a container and of its pod, may be links. @throws for what is no plain file there. */
export async function openLogFile(file: string): Promise<FileHandle> {
  const handle = await open(file, reading)
  try {
    checkPlain(handle.fd, file)
    return handle
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The same, at once. */
export function openLogFileSync(file: string): number {
  const fd = openSync(file, reading)
  try {
    checkPlain(fd, file)
    return fd
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** Opens a file to add to it, made if it is not there. A link in its place goes. */
export function openForLines(file: string): number {
  try {
    return openSync(file, adding, 0o640)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ELOOP')) throw error
    rmSync(file)
    return openSync(file, adding, 0o640)
  }
}

function checkPlain(fd: number, file: string): void {
  if (!fstatSync(fd).isFile()) throw new Error(`${file} is no plain file`)
  const folder = dirname(file)
  const pod = dirname(folder)
  const logs = dirname(pod)
  const expected = join(realpathSync(logs), basename(pod), basename(folder))
  if (dirname(placeOf(fd, file)) !== expected) throw new Error(`${file} stands behind a link`)
}

/** Where an open file stands; where its name leads now on systems that do not say. */
function placeOf(fd: number, file: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return realpathSync(file)
  }
}
