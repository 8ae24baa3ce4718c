"""scikit-learn's side of bench/predict_speed: one row and batches by its usual models."""
import time

import numpy as np
import sklearn
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.linear_model import Ridge

rng = np.random.default_rng(1)
rows = 400
x = np.column_stack([2.0 ** rng.integers(0, 6, rows), 1000.0 * rng.integers(1, 9, rows),
                     2.0 ** rng.integers(4, 8, rows), rng.integers(1, 5, rows)]
                    + [rng.integers(0, 2, rows) for _ in range(3)]).astype(float)
y = 5 + x[:, 1] / x[:, 0] * 0.01 + 0.3 * x[:, 0]


def seconds(call):
    call()
    begin, calls = time.perf_counter(), 0
    while time.perf_counter() - begin < 0.4:
        call()
        calls += 1
    return (time.perf_counter() - begin) / calls


print(f"scikit-learn {sklearn.__version__}")
for name, model in (("ridge", Ridge()), ("forest", RandomForestRegressor(100)),
                    ("boost", GradientBoostingRegressor(n_estimators=300, max_depth=5))):
    model.fit(x, np.log(y))
    many = np.tile(x, (50, 1))
    one = seconds(lambda: model.predict(x[17:18]))
    batch = seconds(lambda: model.predict(many))
    print(f"{name:10} {one * 1e6:10.2f} {len(many) / batch / 1e6:14.2f}")
