import { execFile } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Removes a folder that programs wrote to, whatever they made of it: paths longer than the system takes, and names that are no text. The program
 * `rm` goes from folder to folder and takes each name as it is, where Node.js takes whole paths.
 */
export async function removeFolder(folder: string): Promise<void> {
  try {
    await rm(folder, { recursive: true, force: true })
  } catch {
    await run('rm', ['-rf', '--', folder])
  }
}
