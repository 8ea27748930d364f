// How fast the page of a large cloud is: tests/viewer/run PROGRAM --bench CLOUD
// Opens pages of 1,000,000 and 3,000,000 of its points in headless Chromium with software rendering
// and prints the fastest of three: time to open (from navigation to the last pixel), frames per
// second of all points without and with shading and of the coarser frames while the camera moves,
// and the time of a lasso over the middle of the view.
import {execFileSync} from 'node:child_process';
import {createRequire} from 'node:module';
import {statSync} from 'node:fs';

const {chromium} = createRequire(`${process.env.PLAYWRIGHT}/`)('playwright-core');
const browser = await chromium.launch({executablePath: process.env.BROWSER,
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist']});

// In the page: milliseconds of a frame, and of a lasso over 60 % of width and height.
function measure() {
    const app = window.gelatto, {renderer} = app;
    const frame = (shading, moving) => {
        let best = Infinity;
        for (let i = 0; i < 4; i++) {
            app.settings.shading = shading;
            app.view.camera.yaw += 0.05;
            const begin = performance.now();
            renderer.draw(app.views, app.drawSettings(), moving);
            renderer.finish();
            best = Math.min(best, performance.now() - begin);
            if (moving) for (let k = 0; k < 3; k++) renderer.adapt(best);
        }
        return best;
    };
    const {width, height} = app.rectangle(0), polygon = [[0.2, 0.2], [0.8, 0.2], [0.8, 0.8], [0.2, 0.8]].map(([x, y]) => [x * width, y * height]);
    const lasso = front => {
        app.settings.front = front;
        return Math.min(...Array.from({length: 4}, () => { app.selectPolygon(polygon, 0, 'new'); return app.lassoTime; }));
    };
    return {points: app.cloud.n, bare: frame(0, false), shaded: frame(0.8, false), moving: frame(0.8, true), front: lasso(true), through: lasso(false)};
}

for (const points of [1000000, 3000000]) {
    execFileSync(process.env.GELATTO, ['view', process.env.CLOUD, '--points', String(points), '-o', 'bench.html', '-q']);
    let open = Infinity, found;
    for (let i = 0; i < 3; i++) {
        const context = await browser.newContext({viewport: {width: 1280, height: 720}}), page = await context.newPage();
        await page.goto(`file://${process.cwd()}/bench.html`);
        await page.waitForSelector('html[data-ready="true"]', {timeout: 120000});
        open = Math.min(open, await page.evaluate(() => window.gelatto.loadTime));
        if (i === 2) found = await page.evaluate(measure);
        await context.close();
    }
    const rate = ms => (1000 / ms).toFixed(1), million = found.points / 1e6;
    console.log(`${found.points} points, ${(statSync('bench.html').size / 1e6).toFixed(1)} MB: open ${(open / 1000).toFixed(2)} s, ` +
        `frames/s ${rate(found.bare)} without and ${rate(found.shaded)} with shading, ${rate(found.moving)} while moving; ` +
        `lasso ${(found.front / million).toFixed(0)} ms per million (front), ${(found.through / million).toFixed(0)} (through)`);
}
await browser.close();
