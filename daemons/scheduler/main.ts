#!/usr/bin/env node
import { features } from '../../generated/features.ts'
import { metrics } from '../../generated/metrics.ts'
import { options } from '../../generated/options/orch-scheduler.ts'
import { platform } from '../../generated/platform.ts'
import { run } from '../run.ts'
import { runScheduler } from './scheduler.ts'

const facts = { options, features, platform, metrics }

await run((terminal, signal) => runScheduler(facts, terminal, signal))
