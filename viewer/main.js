// The page starts here.
import {byId, plural, say} from './dom.js';
import {readCloud} from './data.js';
import {Trace} from './trace.js';
import {Explorer} from './explorer.js';
import {Next} from './next.js';
import {Run, takeFrames} from './run.js';
import {App} from './app.js';
import {Controls} from './controls.js';
import {Panel} from './panel.js';

async function start() {
    const page = JSON.parse(byId('page').textContent);
    byId('loading-name').textContent = page.title;
    const clouds = [];
    for (const [i, meta] of page.clouds.entries()) clouds.push(await readCloud(meta, i));
    for (const cloud of clouds) if (cloud.tile) cloud.trace = await Trace.read(cloud.tile);
    const frames = page.run ? takeFrames(clouds[0]) : [];
    const app = new App(page, clouds);
    const hash = location.hash.slice(1); // as it was given: the page changes it soon
    app.fromHash(hash);
    app.panel = new Panel(app);
    app.controls = new Controls(app);
    const visits = await Promise.all(clouds.filter(c => !c.fixed).map(c => c.edits.restore()));
    app.colour(); // classes may have come
    for (const cloud of clouds) if (cloud.edits.reviewed) app.marksChanged(cloud);
    const passes = clouds.filter(c => c.trace);
    if (passes.length) app.explorer = new Explorer(app, passes);
    if (page.next) {
        app.next = new Next(app, page.next);
        const at = +new URLSearchParams(hash).get('tile');
        app.next.go(page.next[at] ? at : 0, hash.includes('camera='));
    }
    if (page.run) app.run = new Run(app, page.run, frames);
    const [restored, left] = ['restored', 'left'].map(key => visits.reduce((sum, v) => sum + v[key], 0));
    const parts = [restored && `${plural(restored, 'correction')} of an earlier visit`,
        left && `${plural(left, 'correction')} of an earlier visit left out: the classes have other names here`];
    if (restored || left) say(parts.filter(Boolean).join('; '));
    app.changed('views');
    new ResizeObserver(() => app.redraw()).observe(byId('stage'));
    byId('loading').hidden = true;
    requestAnimationFrame(() => setTimeout(() => {
        app.renderer.finish();
        app.loadTime = performance.now();
        document.documentElement.dataset.ready = 'true';
    }));
    window.gelatto = app; // for scripts and tests
}

start().catch(error => {
    byId('loading').hidden = false;
    byId('loading').textContent = `The page could not be shown: ${error.message}`;
    document.documentElement.dataset.ready = 'error';
    throw error;
});
