import { yieldToEventLoop } from '../kernel/async/slices.ts'
import type { Log } from '../observe/observe.ts'
import type { LineSink } from './log-file.ts'

/**
 * `blocking`: lines are written at once. `batch`: soon after. `blocking-strict`: at once, and a request whose arrival cannot be
 * written is refused.
 */
export type LogMode = 'batch' | 'blocking' | 'blocking-strict'

/** Takes lines to a sink, in their order. */
export interface LogWriter {
  /** False if the line is known to be lost. */
  add(line: string): boolean
  /** Writes what waits, then closes the sink. */
  stop(): Promise<void>
}

/** Where lines go, and what becomes of those that are lost. */
export interface LogWriterOptions {
  readonly sink: LineSink
  readonly log: Log
  /** Lines that may wait. */
  readonly bufferLines: number
  /** Called for every line that is lost. */
  readonly onLost: () => void
}

/** Bytes that may wait, however few lines they are. */
const bufferBytes = 64 * 1024 * 1024

/** Bytes of lines that go out in one write. */
const batchBytes = 1024 * 1024

/** The writer of a mode. */
export function createLogWriter(mode: LogMode, options: LogWriterOptions): LogWriter {
  return mode === 'batch' ? batchWriter(options) : blockingWriter(options)
}

/** Writes each line before it returns: a slow disk slows the server. */
function blockingWriter({ sink, log, onLost }: LogWriterOptions): LogWriter {
  const outage = outageReporter(log)
  return {
    add(line) {
      try {
        sink.writeNow(line)
        outage.recovered()
        return true
      } catch (error) {
        outage.failed(error)
        onLost()
        return false
      }
    },
    stop: () => sink.close(),
  }
}

/**
 * Collects lines while the last ones are written. What does not fit is lost, and reported once for each time that the buffer is
 * full.
 */
function batchWriter({ sink, log, bufferLines, onLost }: LogWriterOptions): LogWriter {
  const outage = outageReporter(log)
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
          outage.recovered()
        } catch (error) {
          outage.failed(error)
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

/** Lines in groups that fit into one write. A line is never divided. */
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

/** Reports that the log cannot be written, once for as long as that lasts, and that it can be written again. */
function outageReporter(log: Log): {
  readonly failed: (error: unknown) => void
  readonly recovered: () => void
} {
  let reported = false
  return {
    failed(error) {
      if (!reported) log.error('audit records are lost: the log cannot be written', {}, error)
      reported = true
    },
    recovered() {
      if (reported) log.info('the audit log can be written again', {})
      reported = false
    },
  }
}
