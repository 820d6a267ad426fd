/** `/logs/`: files that the machine writes. */
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Refusal } from '../contract/refusal.ts'
import { type AgentPage, send } from './agent-page.ts'

/** The files of a folder, and of those in it. No path leads out of it. */
export function logFilesPage(folder: string): AgentPage {
  return async ({ rest, response }) => {
    const root = await realpath(folder).catch(() => folder)
    const path = await realpath(join(root, ...rest)).catch(() => undefined)
    const facts =
      path !== undefined && (path === root || path.startsWith(root + sep))
        ? await stat(path).catch(() => undefined)
        : undefined
    if (path === undefined || facts === undefined) throw new Refusal(404, '404 page not found')
    if (facts.isDirectory()) return send(response, 'text/html; charset=utf-8', await listing(path))
    if (!facts.isFile()) throw new Refusal(404, '404 page not found')
    const file = await openAt(path)
    response.writeHead(200, { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff' })
    await pipeline(file.createReadStream(), response).catch(() => response.destroy())
  }
}

/** The file of a path without links, unless it has one by now. */
async function openAt(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  const at = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path))
  if (at === path && (await file.stat()).isFile()) return file
  await file.close()
  throw new Refusal(404, '404 page not found')
}

async function listing(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  const lines = entries
    .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
    .sort()
    .map((name) => `<a href="${encodeURI(name)}">${escaped(name)}</a>`)
  return `<pre>\n${lines.join('\n')}\n</pre>\n`
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (one) => `&#${one.charCodeAt(0)};`)
}
