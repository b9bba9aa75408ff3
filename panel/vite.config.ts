import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

// Files are named by what they hold, so that browsers keep them; the document finds them below its <base>.
export default defineConfig({
  root: import.meta.dirname,
  base: './',
  plugins: [react()],
  build: {
    outDir: 'dist',
    assetsDir: 'panel/assets',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
  },
})
