import { readFileSync, statfsSync } from 'node:fs'
import { arch, availableParallelism, hostname, networkInterfaces, release, totalmem } from 'node:os'
import type { NodeSystemInfo } from '../../../generated/apis/core/v1/node.ts'

/** What the machine says of itself. */
export interface MachineFacts {
  readonly hostname: string
  readonly address: string
  readonly capacity: Readonly<Record<string, string>>
  readonly info: Omit<
    NodeSystemInfo,
    'orchletVersion' | 'orchProxyVersion' | 'containerRuntimeVersion'
  >
}

/** Reads it; `folder` is where pods keep files, `address` what was told. */
export function machineFacts(folder: string, address: string, maxPods: number): MachineFacts {
  const disk = statfsSync(folder)
  return {
    hostname: hostname().toLowerCase(),
    address: address || firstAddress(),
    capacity: {
      cpu: String(availableParallelism()),
      memory: `${Math.floor(totalmem() / 1024)}Ki`,
      'ephemeral-storage': `${Math.floor((disk.blocks * disk.bsize) / 1024)}Ki`,
      pods: String(maxPods),
    },
    info: {
      machineID: textOf('/etc/machine-id'),
      systemUUID: textOf('/sys/class/dmi/id/product_uuid') || textOf('/etc/machine-id'),
      bootID: textOf('/proc/sys/kernel/random/boot_id'),
      kernelVersion: release(),
      osImage: /^PRETTY_NAME="?([^"\n]*)/m.exec(textOf('/etc/os-release'))?.[1] ?? 'unknown',
      operatingSystem: process.platform === 'darwin' ? 'darwin' : 'linux',
      architecture: arch() === 'x64' ? 'amd64' : arch(),
    },
  }
}

/** The first address by which other machines reach this one; that of loopback if there is none. */
function firstAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((found) => found ?? [])
  const outer = all.filter(({ internal, address }) => !internal && !address.startsWith('fe80'))
  return (outer.find(({ family }) => family === 'IPv4') ?? outer[0])?.address ?? '127.0.0.1'
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
