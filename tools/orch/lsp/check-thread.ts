/** The thread that checks: findings take longer than answers may. */
import { readFileSync, statSync } from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { daemonConfiguration } from '../validate/daemon-configuration.ts'
import { platformsOf } from '../validate/platforms.ts'
import { Checker } from './checker.ts'
import type { CheckSettings, FromChecker, ToChecker } from './messages.ts'

/** The most bytes of a file, as for `orch validate`. */
const maxFileSize = 16 * 1024 * 1024

const port = parentPort as MessagePort
const settings = workerData as CheckSettings
const checkers = new Map<string, Checker>()
/** What is being edited. */
const open = new Map<string, string>()
const leftOut = new Set<string>()
const configuration = await daemonConfiguration()

port.on('message', (message: ToChecker) => {
  const { folder } = message
  if (message.is === 'close') {
    void checkers.get(folder)?.close()
    checkers.delete(folder)
    return
  }
  for (const { name, text, isLeftOut } of message.files) {
    if (isLeftOut) leftOut.add(name)
    else leftOut.delete(name)
    if (text === undefined) open.delete(name)
    else open.set(name, text)
  }
  const checker = checkers.get(folder) ?? checkerOf(folder)
  checkers.set(folder, checker)
  checker.change(message.files.map(({ name }) => name))
})

function tell(message: FromChecker): void {
  port.postMessage(message)
}

function checkerOf(folder: string): Checker {
  const { platform, schemas, release, podSecurity, complete } = settings
  let isComplete = false
  const checker: Checker = new Checker({
    platforms: platformsOf(platform, schemas, (line) =>
      tell({ is: 'failed', folder, message: line }),
    ),
    ...{ configuration, maxFileSize, complete, read },
    ...(release !== undefined && { release }),
    ...(podSecurity !== undefined && { podSecurity }),
    isOpen: (name) => open.has(name),
    checked: (file) => tell({ is: 'checked', folder, ...file }),
    learned: (platforms) => tell({ is: 'learned', folder, platforms }),
    settled: () => {
      tell({ is: 'settled', folder })
      if (isComplete) return
      isComplete = true
      // What no document needs is offered for typing, too: it is loaded once there is time.
      void checker
        .platforms()
        .then((platforms) => tell({ is: 'learned', folder, platforms }), failed)
    },
    failed,
  })
  function failed(error: unknown): void {
    tell({ is: 'failed', folder, message: error instanceof Error ? error.message : String(error) })
  }
  return checker
}

function read(name: string): string | Uint8Array | 'too large' | undefined {
  if (leftOut.has(name)) return undefined
  const text = open.get(name)
  if (text !== undefined) return text
  const info = statSync(name, { throwIfNoEntry: false })
  if (info === undefined || !info.isFile()) return undefined
  if (info.size > maxFileSize) return 'too large'
  return readFileSync(name)
}
