import { yieldToEventLoop } from '../kernel/async/slices.ts'
import type { Log } from '../observe/observe.ts'
import type { LineSink } from './log-file.ts'

/** `blocking`: lines are written at once. `batch`: soon after. `blocking-strict`: at once, and whoever asks cares. */
export type LogMode = 'batch' | 'blocking' | 'blocking-strict'

/** Takes lines to a sink, in their order. */
export interface LogWriter {
  /** False if the line is known to be lost. */
  add(line: string): boolean
  /** Writes what waits, then closes the sink. */
  stop(): Promise<void>
}

export interface LogWriterOptions {
  readonly sink: LineSink
  readonly log: Log
  /** Lines that may wait. */
  readonly bufferLines: number
  /** Hears of every line that is lost. */
  readonly onLost: () => void
}

/** What waits may take so many bytes, however few lines it is. */
const bufferBytes = 64 * 1024 * 1024

/** Lines that go out in one write. */
const batchBytes = 1024 * 1024

export function createLogWriter(mode: LogMode, options: LogWriterOptions): LogWriter {
  return mode === 'batch' ? batchWriter(options) : blockingWriter(options)
}

function blockingWriter({ sink, log, onLost }: LogWriterOptions): LogWriter {
  const trouble = outageReporter(log)
  return {
    add(line) {
      try {
        sink.writeNow(line)
        trouble.over()
        return true
      } catch (error) {
        trouble.tell(error)
        onLost()
        return false
      }
    },
    stop: () => sink.close(),
  }
}

function batchWriter({ sink, log, bufferLines, onLost }: LogWriterOptions): LogWriter {
  const trouble = outageReporter(log)
  let waiting: string[] = []
  let length = 0
  let full = false
  let writing: Promise<void> | undefined

  async function drain(): Promise<void> {
    await yieldToEventLoop()
    while (waiting.length > 0) {
      const lines = waiting
      waiting = []
      for (const batch of batches(lines)) {
        try {
          await sink.write(batch.join(''))
          trouble.over()
        } catch (error) {
          trouble.tell(error)
          for (const _ of batch) onLost()
        }
        for (const line of batch) length -= line.length
      }
      full = false
    }
    writing = undefined
  }

  return {
    add(line) {
      if (waiting.length >= bufferLines || length + line.length > bufferBytes) {
        if (!full) log.error('audit records are lost: too many wait to be written', { bufferLines })
        full = true
        onLost()
        return false
      }
      waiting.push(line)
      length += line.length
      writing ??= drain()
      return true
    },
    async stop() {
      await writing
      await sink.close()
    },
  }
}

/** Lines by how many fit into one write. */
function* batches(lines: readonly string[]): Iterable<readonly string[]> {
  let batch: string[] = []
  let length = 0
  for (const line of lines) {
    if (batch.length > 0 && length + line.length > batchBytes) {
      yield batch
      batch = []
      length = 0
    }
    batch.push(line)
    length += line.length
  }
  if (batch.length > 0) yield batch
}

/** Tells that the log cannot be written, once for as long as that lasts. */
function outageReporter(log: Log): {
  readonly tell: (error: unknown) => void
  readonly over: () => void
} {
  let told = false
  return {
    tell(error) {
      if (!told) log.error('audit records are lost: the log cannot be written', {}, error)
      told = true
    },
    over() {
      if (told) log.info('the audit log can be written again', {})
      told = false
    },
  }
}
