#!/usr/bin/env node
import { features } from '../../generated/features.ts'
import { metrics } from '../../generated/metrics.ts'
import { options } from '../../generated/options/orchlet.ts'
import { platform } from '../../generated/platform.ts'
import { run } from '../run.ts'
import { runOrchlet } from './orchlet.ts'

const facts = { options, features, platform, metrics }

await run((terminal, signal) => runOrchlet(facts, terminal, signal))
